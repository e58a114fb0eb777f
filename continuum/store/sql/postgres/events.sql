-- Reads of the log that filter by a list of values. Each half is ordered and cut by itself, so
-- that no more than a page of it is read. The sum keeps PostgreSQL from walking the whole log in
-- order for the sake of a few types: it then takes their index and sorts what it finds.

-- name: rows
-- The log in order, archive and live together.
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash
  FROM events_archive
  WHERE run_id = :run_id
    AND sequence > :after
    AND sequence <= :upto  --? upto
    AND type = ANY(:types)  --? types
  ORDER BY sequence  --? !types
  ORDER BY sequence + 0  --? types
  LIMIT :chunk
)
UNION ALL
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash
  FROM events
  WHERE run_id = :run_id
    AND sequence > :after
    AND sequence <= :upto  --? upto
    AND type = ANY(:types)  --? types
  ORDER BY sequence  --? !types
  ORDER BY sequence + 0  --? types
  LIMIT :chunk
)
ORDER BY sequence
LIMIT :chunk;

-- name: live_rows
-- The live part of the log in order.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events
WHERE run_id = :run_id
  AND sequence > :after
  AND sequence <= :upto  --? upto
  AND type = ANY(:types)  --? types
ORDER BY sequence  --? !types
ORDER BY sequence + 0  --? types
LIMIT :chunk;

-- name: page
-- One page of the log, newest first, with a mark on archived rows.
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash, 1 AS archived
  FROM events_archive
  WHERE run_id = :run_id
    AND sequence < :before  --? before
    AND sequence > :after  --? after
    AND source = ANY(:origins)  --? origins
    AND type = ANY(:types)  --? types
  ORDER BY sequence DESC  --? !sparse
  ORDER BY sequence + 0 DESC  --? sparse
  LIMIT :limit
)
UNION ALL
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash, 0 AS archived
  FROM events
  WHERE run_id = :run_id
    AND sequence < :before  --? before
    AND sequence > :after  --? after
    AND source = ANY(:origins)  --? origins
    AND type = ANY(:types)  --? types
  ORDER BY sequence DESC  --? !sparse
  ORDER BY sequence + 0 DESC  --? sparse
  LIMIT :limit
)
ORDER BY sequence DESC
LIMIT :limit;

-- name: insert_behind
-- One sealed event, if the event it follows is the newest: the whole append in one round trip.
-- The order makes the primary key the cheapest way even where the planner thinks the table tiny.
INSERT INTO events (
  run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash
)
SELECT :run_id, CAST(:sequence AS INTEGER), :event_id, :type, :timestamp, :payload,
  :causer_event_id, :source, :prev_hash, :hash
WHERE :prev_hash = (
  SELECT hash
  FROM events
  WHERE run_id = :run_id AND sequence >= :sequence - 1
  ORDER BY sequence DESC
  LIMIT 1
);

-- name: actions
-- The ledger's events behind a place, archive and live together.
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash
  FROM events_archive
  WHERE run_id = :run_id AND sequence > :after
    AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
  ORDER BY sequence + 0
  LIMIT :chunk  --? chunk
)
UNION ALL
(
  SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
    hash
  FROM events
  WHERE run_id = :run_id AND sequence > :after
    AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
  ORDER BY sequence + 0
  LIMIT :chunk  --? chunk
)
ORDER BY sequence
LIMIT :chunk  --? chunk
;
