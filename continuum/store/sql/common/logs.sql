-- Looks at a log from afar, whose cost does not grow with it.

-- name: stubs
-- Events of some numbers. Their payloads are not read.
SELECT sequence, timestamp, source, type
FROM events
WHERE run_id = :run_id AND sequence IN (SELECT CAST(value AS INTEGER) FROM json_each(:numbers))  --? sqlite
WHERE run_id = :run_id AND sequence = ANY(CAST(:numbers AS INTEGER[]))  --? postgres
UNION ALL
SELECT sequence, timestamp, source, type
FROM events_archive
WHERE run_id = :run_id AND sequence IN (SELECT CAST(value AS INTEGER) FROM json_each(:numbers))  --? sqlite
WHERE run_id = :run_id AND sequence = ANY(CAST(:numbers AS INTEGER[]))  --? postgres
ORDER BY sequence;

-- name: count_types
-- How many events are of some types, counted so far only.
SELECT count(*)
FROM (
  SELECT 1 FROM events INDEXED BY events_by_type  --? sqlite
  SELECT 1 FROM events  --? postgres
  WHERE run_id = :run_id AND type IN :types[]
  UNION ALL
  SELECT 1 FROM events_archive
  WHERE run_id = :run_id AND type IN :types[]
  LIMIT :most
) AS found;

-- name: count_slots
-- How many actions a run has, counted so far only.
SELECT count(*) FROM (SELECT 1 FROM cx_actions WHERE run_id = :run_id LIMIT :most) AS found;

-- name: checkpoints
-- The newest checkpoints.
SELECT version, trigger, created_at
FROM checkpoints
WHERE run_id = :run_id
ORDER BY version DESC, created_at DESC
LIMIT :limit;

-- name: versions
-- The newest state versions.
SELECT version, reason, created_at
FROM versions
WHERE run_id = :run_id
ORDER BY version DESC
LIMIT :limit;

-- name: slots
-- A page of the ledger in order of first appearance, newest first.
SELECT run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions
WHERE run_id = :run_id
  AND first_sequence < :before  --? before
ORDER BY first_sequence DESC
LIMIT :limit;
