-- The ledger of a run, as rows.

-- name: place
-- How far the rows go, and how far the ledger's events do.
SELECT ledger_sequence, action_sequence FROM cx_heads WHERE run_id = :run_id;

-- name: count
-- How many actions a run has.
SELECT count(*) FROM cx_actions WHERE run_id = :run_id;

-- name: by_key
-- The action under a key.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id AND key = :key;

-- name: by_id
-- The action of an id; the newest, should two keys share it.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE action_id = :action_id AND run_id = :run_id
ORDER BY last_sequence DESC
LIMIT 1;

-- name: by_signature
-- Actions that may be the same thing spelled differently; a malformed record may be anything.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id AND action_type = :action_type AND signature = :signature
UNION ALL
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id AND status = 'unreadable' AND action_type = :action_type
ORDER BY first_sequence;

-- name: upsert
-- The newest record of a key. Where it first appeared stays; attempts add up.
INSERT INTO cx_actions (
  run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record, moment, is_open
) VALUES (
  :run_id, :key, :action_id, :action_type, :status, :external_id, :attempts, :first_sequence,
  :last_sequence, :signature, :record, :moment, :is_open
)
ON CONFLICT (run_id, key) DO UPDATE SET
  action_id = excluded.action_id,
  action_type = excluded.action_type,
  status = CASE WHEN cx_actions.status = 'unreadable' THEN 'unreadable' ELSE excluded.status END,
  external_id = excluded.external_id,
  attempts = cx_actions.attempts + excluded.attempts,
  last_sequence = excluded.last_sequence,
  signature = excluded.signature,
  record = excluded.record,
  moment = excluded.moment,
  is_open = CASE WHEN cx_actions.status = 'unreadable' THEN 1 ELSE excluded.is_open END;

-- name: clear
-- Before the rows of a run are made anew.
DELETE FROM cx_actions WHERE run_id = :run_id;

-- name: set_place
-- The rows are right up to here.
UPDATE cx_heads SET ledger_sequence = :sequence WHERE run_id = :run_id;

-- name: of_run
-- The run's actions, in order of first appearance.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id
  AND status IN :statuses[]  --? statuses
ORDER BY first_sequence;
