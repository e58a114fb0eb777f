-- Reads of the log that filter by a list of values.

-- name: rows
-- The log in order, archive and live together.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events_archive
WHERE run_id = :run_id AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type IN (SELECT value FROM json_each(:types))  --? types
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events
WHERE run_id = :run_id AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type IN (SELECT value FROM json_each(:types))  --? types
ORDER BY sequence
LIMIT :chunk  --? chunk
;

-- name: live_rows
-- The live part of the log in order.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events
WHERE run_id = :run_id AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type IN (SELECT value FROM json_each(:types))  --? types
ORDER BY sequence
LIMIT :chunk  --? chunk
;

-- name: page
-- One page of the log, newest first, with a mark on archived rows.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 1 AS archived
FROM events_archive
WHERE run_id = :run_id
  AND sequence < :before  --? before
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND source IN (SELECT value FROM json_each(:origins))  --? origins
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 0 AS archived
FROM events
WHERE run_id = :run_id
  AND sequence < :before  --? before
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND source IN (SELECT value FROM json_each(:origins))  --? origins
ORDER BY sequence DESC
LIMIT :limit;
