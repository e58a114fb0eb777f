-- Pages of the inbox. The last row seen is the cursor.

-- name: open
-- Everything open, worst first.
SELECT
  item_id, run_id, kind, target, severity, title, detail, goal, action_type, caller,
  parent_run_id, opened_at, opened_sequence, claimed_by, claimed_at, closed_at, closed_by,
  closed_via, closed_sequence
FROM cx_items
WHERE closed_at IS NULL
  AND claimed_by IS NULL  --? unclaimed
  AND claimed_by = :person  --? mine
  AND kind = 'verdict'  --? verdicts
  AND kind = 'action'  --? actions
  AND run_id = :run_id  --? run_id
  AND action_type = :action_type  --? action_type
  AND caller = :caller  --? caller
  AND (parent_run_id = :parent_run_id OR run_id = :parent_run_id)  --? parent_run_id
  AND (run_id || ' ' || goal || ' ' || title || ' ' || detail) ILIKE :pattern ESCAPE '\'  --? pattern
  AND opened_at >= :since  --? since
  AND (severity, opened_at, item_id) > (:severity, :moment, :item_id)  --? item_id
ORDER BY severity, opened_at, item_id
LIMIT :limit;

-- name: closed
-- What left, newest first.
SELECT
  item_id, run_id, kind, target, severity, title, detail, goal, action_type, caller,
  parent_run_id, opened_at, opened_sequence, claimed_by, claimed_at, closed_at, closed_by,
  closed_via, closed_sequence
FROM cx_items
WHERE closed_at IS NOT NULL
  AND kind = 'verdict'  --? verdicts
  AND kind = 'action'  --? actions
  AND run_id = :run_id  --? run_id
  AND action_type = :action_type  --? action_type
  AND caller = :caller  --? caller
  AND (parent_run_id = :parent_run_id OR run_id = :parent_run_id)  --? parent_run_id
  AND (run_id || ' ' || goal || ' ' || title || ' ' || detail) ILIKE :pattern ESCAPE '\'  --? pattern
  AND closed_at >= :since  --? since
  AND (closed_at, item_id) < (:moment, :item_id)  --? item_id
ORDER BY closed_at DESC, item_id DESC
LIMIT :limit;
