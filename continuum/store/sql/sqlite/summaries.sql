-- Pages of the runs list. A run needs a person while something of it is open in the inbox.

-- name: page
-- One page, newest first.
SELECT
  run_id, sequence, mode, safe, own_mode, severity, status, goal, parent_run_id, created_at,
  last_event_at, last_event_type, completed, failed, total, open_actions, actions, children,
  blocked_children, caller, reasons, oldest_open_at, valid_until, computed_at, ''
FROM cx_summaries
WHERE 1 = 1
  AND mode IN (SELECT value FROM json_each(:modes))  --? modes
  AND status IN (SELECT value FROM json_each(:statuses))  --? statuses
  AND run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_person
  AND run_id NOT IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_nobody
  AND parent_run_id = :parent_run_id  --? parent_run_id
  AND children > 0 AND parent_run_id IS NULL  --? roots
  AND (  --? waiting
    blocked_children > 0  --? waiting
    OR run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? waiting
  )  --? waiting
  AND caller = :caller  --? caller
  AND (run_id || ' ' || goal || ' ' || reasons) LIKE :pattern ESCAPE '\'  --? pattern
  AND created_at >= :since  --? since
  AND (created_at, run_id) < (:created_at, :run_id)  --? created_at
ORDER BY created_at DESC, run_id DESC
LIMIT :limit;

-- name: page_up
-- The page before a row, oldest first; the reader turns it round.
SELECT
  run_id, sequence, mode, safe, own_mode, severity, status, goal, parent_run_id, created_at,
  last_event_at, last_event_type, completed, failed, total, open_actions, actions, children,
  blocked_children, caller, reasons, oldest_open_at, valid_until, computed_at, ''
FROM cx_summaries
WHERE 1 = 1
  AND mode IN (SELECT value FROM json_each(:modes))  --? modes
  AND status IN (SELECT value FROM json_each(:statuses))  --? statuses
  AND run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_person
  AND run_id NOT IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? needs_nobody
  AND parent_run_id = :parent_run_id  --? parent_run_id
  AND children > 0 AND parent_run_id IS NULL  --? roots
  AND (  --? waiting
    blocked_children > 0  --? waiting
    OR run_id IN (SELECT run_id FROM cx_items WHERE closed_at IS NULL)  --? waiting
  )  --? waiting
  AND caller = :caller  --? caller
  AND (run_id || ' ' || goal || ' ' || reasons) LIKE :pattern ESCAPE '\'  --? pattern
  AND created_at >= :since  --? since
  AND (created_at, run_id) > (:created_at, :run_id)  --? created_at
ORDER BY created_at ASC, run_id ASC
LIMIT :limit;
