-- The inbox: one row per thing that needs, or needed, a person.

-- part: shown
-- What a row of the inbox shows.
SELECT
  item_id, run_id, kind, target, severity, title, detail, goal, action_type, caller,
  parent_run_id, opened_at, opened_sequence, claimed_by, claimed_at, closed_at, closed_by,
  closed_via, closed_sequence
  , (SELECT count(*) FROM cx_notes AS note WHERE note.item_id = cx_items.item_id AND note.kind = 'comment')  --? desk
  , (SELECT note.author FROM cx_notes AS note WHERE note.item_id = cx_items.item_id AND note.kind <> 'comment' ORDER BY note.number DESC LIMIT 1)  --? desk

-- part: narrowed
-- How the inbox is narrowed: its lists and what the tabs say of them.
  AND kind = 'verdict'  --? verdicts
  AND kind = 'action'  --? actions
  AND run_id = :run_id  --? run_id
  AND action_type = :action_type  --? action_type
  AND lower(action_type) LIKE lower(:type_pattern) ESCAPE '\'  --? type_pattern
  AND caller = :caller  --? caller
  AND lower(caller) LIKE lower(:caller_pattern) ESCAPE '\'  --? caller_pattern
  AND (parent_run_id = :parent_run_id OR run_id = :parent_run_id)  --? parent_run_id
  AND :family IN (  --? family
    WITH RECURSIVE above (run_id) AS (  --? family
      SELECT cx_items.run_id  --? family
      UNION  --? family
      SELECT runs.parent_run_id FROM runs JOIN above ON runs.run_id = above.run_id  --? family
      WHERE runs.parent_run_id IS NOT NULL  --? family
    )  --? family
    SELECT run_id FROM above  --? family
  )  --? family
  AND run_id IN (SELECT run_id FROM cx_summaries WHERE mode = :mode)  --? mode
  AND lower(run_id || ' ' || goal || ' ' || title || ' ' || detail) LIKE lower(:pattern) ESCAPE '\'  --? pattern

-- name: one
-- One row, open or closed.
--+ shown
FROM cx_items
WHERE item_id = :item_id;

-- name: open_ids
-- What of a run is open.
SELECT item_id, opened_sequence
FROM cx_items
WHERE run_id = :run_id AND closed_at IS NULL;

-- name: save
-- An open thing. A claim stays with a thing that was open before, and is gone with one that left.
INSERT INTO cx_items (
  item_id, run_id, kind, target, severity, title, detail, goal, action_type, caller,
  parent_run_id, opened_at, opened_sequence
) VALUES (
  :item_id, :run_id, :kind, :target, :severity, :title, :detail, :goal, :action_type, :caller,
  :parent_run_id, :opened_at, :opened_sequence
)
ON CONFLICT (item_id) DO UPDATE SET
  run_id = excluded.run_id,
  kind = excluded.kind,
  target = excluded.target,
  severity = excluded.severity,
  title = excluded.title,
  detail = excluded.detail,
  goal = excluded.goal,
  action_type = excluded.action_type,
  caller = excluded.caller,
  parent_run_id = excluded.parent_run_id,
  opened_at = excluded.opened_at,
  opened_sequence = excluded.opened_sequence,
  claimed_by = CASE WHEN cx_items.closed_at IS NULL THEN cx_items.claimed_by END,
  claimed_at = CASE WHEN cx_items.closed_at IS NULL THEN cx_items.claimed_at END,
  closed_at = NULL,
  closed_by = NULL,
  closed_via = NULL,
  closed_sequence = NULL;

-- name: close
-- A thing that left, and how.
UPDATE cx_items
SET
  closed_at = :closed_at,
  closed_by = :closed_by,
  closed_via = :closed_via,
  closed_sequence = :closed_sequence
WHERE item_id = :item_id;

-- name: claim
-- Somebody takes an open thing, or lets go of it.
UPDATE cx_items
SET claimed_by = :person, claimed_at = :claimed_at
WHERE item_id = :item_id AND closed_at IS NULL;

-- name: counts
-- What the tabs and the badge say. Open things are few; closed ones are counted from a moment on.
SELECT
  count(*),
  count(*) FILTER (WHERE claimed_by IS NULL),
  count(*) FILTER (WHERE claimed_by = :person),
  (SELECT count(*) FROM cx_items WHERE closed_at IS NOT NULL AND closed_at >= :since),
  min(opened_at),
  (SELECT max(closed_at) FROM cx_items WHERE closed_at IS NOT NULL),
  max(claimed_at)
FROM cx_items
WHERE closed_at IS NULL;

-- name: open
-- Everything open, worst first. The last row seen is the cursor.
--+ shown
FROM cx_items
WHERE closed_at IS NULL
  AND claimed_by IS NULL  --? unclaimed
  AND claimed_by IS NOT NULL  --? held
  AND claimed_by = :person  --? mine
--+ narrowed
  AND opened_at <= :until  --? until
  AND opened_at >= :since  --? since
  AND (severity, opened_at, item_id) > (:severity, :moment, :item_id)  --? item_id
ORDER BY severity, opened_at, item_id
LIMIT :limit;

-- name: closed
-- What left, newest first. The last row seen is the cursor.
--+ shown
FROM cx_items
WHERE closed_at IS NOT NULL
--+ narrowed
  AND opened_at <= :until  --? until
  AND closed_at >= :since  --? since
  AND (closed_at, item_id) < (:moment, :item_id)  --? item_id
ORDER BY closed_at DESC, item_id DESC
LIMIT :limit;

-- name: matching_counts
-- What the tabs say of a narrowed list: the same conditions, over the few rows that may be listed.
SELECT
  count(*) FILTER (WHERE closed_at IS NULL),
  count(*) FILTER (WHERE closed_at IS NULL AND claimed_by IS NULL),
  count(*) FILTER (WHERE closed_at IS NULL AND claimed_by = :person),
  count(*) FILTER (WHERE closed_at IS NOT NULL),
  min(opened_at) FILTER (WHERE closed_at IS NULL),
  max(closed_at)
FROM cx_items
WHERE item_id IN (
    SELECT item_id FROM cx_items WHERE closed_at IS NULL
    UNION ALL
    SELECT item_id FROM cx_items WHERE closed_at IS NOT NULL AND closed_at >= :since
  )
--+ narrowed
  AND opened_at <= :until  --? until;
