-- Reads that the back ends spell differently.

-- name: run_ids
-- All runs by code point.
SELECT run_id
FROM runs
WHERE run_id > :after
ORDER BY run_id
LIMIT :limit;

-- name: human
-- What people did, and settlements by anybody, newest first.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 1 AS archived
FROM events_archive
WHERE (source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED'))
  AND (timestamp, run_id, sequence) < (:moment, :place_run, :place)  --? place
  AND run_id = :run_id  --? run_id
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND timestamp >= :since  --? since
  AND timestamp < :until  --? until
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 0 AS archived
FROM events
WHERE (source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED'))
  AND (timestamp, run_id, sequence) < (:moment, :place_run, :place)  --? place
  AND run_id = :run_id  --? run_id
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND timestamp >= :since  --? since
  AND timestamp < :until  --? until
ORDER BY timestamp DESC, run_id DESC, sequence DESC
LIMIT :limit;
