-- Reads of the ledger that filter by a list of values.

-- name: of_run
-- The run's actions, in order of first appearance.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id
  AND status IN (SELECT value FROM json_each(:statuses))  --? statuses
ORDER BY first_sequence;
