-- Reads of the log that filter by a list of values. Left alone, SQLite would walk the
-- whole log in order for the sake of a few types; it is told to take their index and to sort.

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
FROM events  --? !types
FROM events INDEXED BY events_by_type  --? types
WHERE run_id = :run_id
  AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type IN (SELECT value FROM json_each(:types))  --? types
ORDER BY sequence;

-- name: live_rows
-- The live part of the log in order.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events  --? !types
FROM events INDEXED BY events_by_type  --? types
WHERE run_id = :run_id
  AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type IN (SELECT value FROM json_each(:types))  --? types
ORDER BY sequence;

-- name: page
-- One page of the log, newest first, with a mark on archived rows. Types that are rare are taken
-- from their index and sorted, others are looked for in order.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 1 AS archived
FROM events_archive
WHERE run_id = :run_id
  AND sequence < :before  --? before
  AND sequence > :after  --? after
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND source IN (SELECT value FROM json_each(:origins))  --? origins
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 0 AS archived
FROM events  --? !sparse
FROM events INDEXED BY events_by_type  --? sparse
WHERE run_id = :run_id
  AND sequence < :before  --? before
  AND sequence > :after  --? after
  AND type IN (SELECT value FROM json_each(:types))  --? types
  AND source IN (SELECT value FROM json_each(:origins))  --? origins
ORDER BY sequence DESC
LIMIT :limit;

-- name: actions
-- The ledger's events behind a place, archive and live together.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events_archive
WHERE run_id = :run_id AND sequence > :after
  AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events INDEXED BY events_by_type
WHERE run_id = :run_id AND sequence > :after
  AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
ORDER BY sequence;
