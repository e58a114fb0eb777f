-- The ledger: reads that filter by a list of values, and the lock on an identity.

-- name: of_run
-- The run's actions, in order of first appearance.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id
  AND status = ANY(:statuses)  --? statuses
ORDER BY first_sequence;

-- name: hold_key
-- Let one transaction at a time claim a store-wide identity; released at its end.
SELECT pg_advisory_xact_lock(hashtextextended('continuum:' || :key, 0));
