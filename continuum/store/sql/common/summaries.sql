-- The list row of every run, as last judged.

-- part: shown
-- What a row of the runs list shows.
SELECT
  run_id, sequence, mode, safe, own_mode, severity, status, goal, parent_run_id, created_at,
  last_event_at, last_event_type, completed, failed, total, open_actions, actions, children,
  blocked_children, caller, reasons, oldest_open_at, valid_until, computed_at, ''

-- part: narrowed
-- How the runs list is narrowed.
WHERE 1 = 1
  AND mode IN :modes[]  --? modes
  AND status IN :statuses[]  --? statuses
  AND run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_person
  AND run_id NOT IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_nobody
  AND parent_run_id = :parent_run_id  --? parent_run_id
  AND children > 0 AND parent_run_id IS NULL  --? roots
  AND (  --? waiting
    blocked_children > 0  --? waiting
    OR run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? waiting
  )  --? waiting
  AND caller = :caller  --? caller
  AND (run_id || ' ' || goal || ' ' || reasons) LIKE :pattern ESCAPE '\'  --? pattern sqlite
  AND (run_id || ' ' || goal || ' ' || reasons) ILIKE :pattern ESCAPE '\'  --? pattern postgres
  AND created_at >= :since  --? since

-- name: one
-- One run with its snapshot, which is void once an event below it was touched, until the run is
-- judged again: that folds from the first event, and only then does the row lag behind nothing.
SELECT
  s.run_id, s.sequence, s.mode, s.safe, s.own_mode, s.severity, s.status, s.goal,
  s.parent_run_id, s.created_at, s.last_event_at, s.last_event_type, s.completed, s.failed,
  s.total, s.open_actions, s.actions, s.children, s.blocked_children, s.caller, s.reasons,
  s.oldest_open_at, s.valid_until, s.computed_at,
  CASE
    WHEN heads.touched_sequence <= s.sequence AND heads.stale_since IS NOT NULL THEN ''
    ELSE s.snapshot
  END
FROM cx_summaries AS s
LEFT JOIN cx_heads AS heads ON heads.run_id = s.run_id
WHERE s.run_id = :run_id;

-- name: current_children
-- Rows of the children that lag behind neither log nor clock.
SELECT
  s.run_id, s.sequence, s.mode, s.safe, s.own_mode, s.severity, s.status, s.goal,
  s.parent_run_id, s.created_at, s.last_event_at, s.last_event_type, s.completed, s.failed,
  s.total, s.open_actions, s.actions, s.children, s.blocked_children, s.caller, s.reasons,
  s.oldest_open_at, s.valid_until, s.computed_at, ''
FROM cx_summaries AS s
JOIN cx_heads AS heads ON heads.run_id = s.run_id
WHERE s.parent_run_id = :run_id
  AND heads.stale_since IS NULL
  AND (s.valid_until IS NULL OR s.valid_until > :now)
ORDER BY s.created_at DESC, s.run_id DESC;

-- name: expired
-- Rows whose verdict has changed by time alone.
SELECT run_id
FROM cx_summaries
WHERE valid_until <= :now
ORDER BY valid_until
LIMIT :limit;

-- name: save
-- A run as just judged.
INSERT INTO cx_summaries (
  run_id, sequence, mode, safe, own_mode, severity, status, goal, parent_run_id, created_at,
  last_event_at, last_event_type, completed, failed, total, open_actions, actions, children,
  blocked_children, caller, reasons, oldest_open_at, valid_until, computed_at, snapshot
) VALUES (
  :run_id, :sequence, :mode, :safe, :own_mode, :severity, :status, :goal, :parent_run_id,
  :created_at, :last_event_at, :last_event_type, :completed, :failed, :total, :open_actions,
  :actions, :children, :blocked_children, :caller, :reasons, :oldest_open_at, :valid_until,
  :computed_at, :snapshot
)
ON CONFLICT (run_id) DO UPDATE SET
  sequence = excluded.sequence,
  mode = excluded.mode,
  safe = excluded.safe,
  own_mode = excluded.own_mode,
  severity = excluded.severity,
  status = excluded.status,
  goal = excluded.goal,
  parent_run_id = excluded.parent_run_id,
  created_at = excluded.created_at,
  last_event_at = excluded.last_event_at,
  last_event_type = excluded.last_event_type,
  completed = excluded.completed,
  failed = excluded.failed,
  total = excluded.total,
  open_actions = excluded.open_actions,
  actions = excluded.actions,
  children = excluded.children,
  blocked_children = excluded.blocked_children,
  caller = excluded.caller,
  reasons = excluded.reasons,
  oldest_open_at = excluded.oldest_open_at,
  valid_until = excluded.valid_until,
  computed_at = excluded.computed_at,
  snapshot = excluded.snapshot;

-- name: drop_snapshot
-- An event below the snapshot was touched, so it must be folded anew.
UPDATE cx_summaries SET snapshot = ''
WHERE run_id = :run_id
  AND EXISTS (
    SELECT 1 FROM cx_heads
    WHERE cx_heads.run_id = cx_summaries.run_id AND touched_sequence IS NOT NULL
  );

-- name: page
-- One page, newest first.
--+ shown
FROM cx_summaries
--+ narrowed
  AND (created_at, run_id) < (:created_at, :run_id)  --? created_at
ORDER BY created_at DESC, run_id DESC
LIMIT :limit;

-- name: page_up
-- The page before a row, oldest first; the reader turns it round.
--+ shown
FROM cx_summaries
--+ narrowed
  AND (created_at, run_id) > (:created_at, :run_id)  --? created_at
ORDER BY created_at ASC, run_id ASC
LIMIT :limit;
