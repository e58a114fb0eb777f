-- The inbox: one row per thing that needs, or needed, a person.

-- name: one
-- One row, open or closed.
SELECT
  item_id, run_id, kind, target, severity, title, detail, goal, action_type, caller,
  parent_run_id, opened_at, opened_sequence, claimed_by, claimed_at, closed_at, closed_by,
  closed_via, closed_sequence
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
  (SELECT count(*) FROM cx_items WHERE closed_at IS NULL),
  (SELECT count(*) FROM cx_items WHERE closed_at IS NULL AND claimed_by IS NULL),
  (SELECT count(*) FROM cx_items WHERE closed_at IS NULL AND claimed_by = :person),
  (SELECT count(*) FROM cx_items WHERE closed_at IS NOT NULL AND closed_at >= :since),
  (SELECT min(opened_at) FROM cx_items WHERE closed_at IS NULL),
  (SELECT max(closed_at) FROM cx_items WHERE closed_at IS NOT NULL);
