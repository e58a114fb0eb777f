-- On PostgreSQL a row is ordered by a sequence, which cannot be recomputed from the log.

-- name: insert
-- A recomputed row.
INSERT INTO action_index (key, run_id, action_id, status, updated_seq, action_json)
VALUES (:key, :run_id, :action_id, :status, nextval('action_index_ord_seq'), :action_json);

-- name: upsert
-- The newest record of a key.
INSERT INTO action_index (key, run_id, action_id, status, updated_seq, action_json)
VALUES (:key, :run_id, :action_id, :status, nextval('action_index_ord_seq'), :action_json)
ON CONFLICT (key) DO UPDATE SET
  run_id = excluded.run_id,
  action_id = excluded.action_id,
  status = excluded.status,
  updated_seq = excluded.updated_seq,
  action_json = excluded.action_json;

-- name: events
-- Every action event of the store, oldest first; within a run the sequence decides.
SELECT 0, payload
FROM (
  SELECT
    run_id, sequence, type, payload,
    max(timestamp) OVER (PARTITION BY run_id ORDER BY sequence) AS moment
  FROM (
    SELECT run_id, sequence, type, payload, timestamp
    FROM events_archive
    WHERE type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    UNION ALL
    SELECT run_id, sequence, type, payload, timestamp
    FROM events
    WHERE type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
  ) AS actions
) AS ordered
ORDER BY moment, run_id, sequence;
