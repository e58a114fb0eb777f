-- On SQLite a row is ordered by the row id of its event; archived events count down from -1.

-- name: insert
-- A recomputed row.
INSERT INTO action_index (key, run_id, action_id, status, updated_seq, action_json)
VALUES (:key, :run_id, :action_id, :status, :updated_seq, :action_json);

-- name: upsert
-- The newest record of a key.
INSERT INTO action_index (key, run_id, action_id, status, updated_seq, action_json)
VALUES (:key, :run_id, :action_id, :status, :updated_seq, :action_json)
ON CONFLICT (key) DO UPDATE SET
  run_id = excluded.run_id,
  action_id = excluded.action_id,
  status = excluded.status,
  updated_seq = excluded.updated_seq,
  action_json = excluded.action_json;

-- name: events
-- Every action event of the store with its order value, oldest first.
SELECT place, payload
FROM (
  SELECT
    row_number() OVER (ORDER BY rowid) - 1 - (SELECT count(*) FROM events_archive) AS place,
    type,
    payload
  FROM events_archive
)
WHERE type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
UNION ALL
SELECT rowid AS place, payload
FROM events
WHERE type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
ORDER BY place;

-- name: lower_archived
-- Rows of events archived before: new archive rows push their numbers down.
UPDATE action_index SET updated_seq = updated_seq - :moved WHERE updated_seq < 0;

-- name: move_to_archive
-- Rows of events about to be archived: from their row id to their archive number.
WITH moving AS (
  SELECT rowid AS place, row_number() OVER (ORDER BY sequence) AS number
  FROM events
  WHERE run_id = :run_id AND sequence <= :through
)
UPDATE action_index
SET updated_seq = moving.number - 1 - :moved
FROM moving
WHERE action_index.updated_seq = moving.place;
