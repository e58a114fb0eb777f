-- The log: `events` holds the live rows, `events_archive` a compacted prefix.

-- name: head
-- The newest live event.
SELECT sequence, hash
FROM events
WHERE run_id = :run_id
ORDER BY sequence DESC
LIMIT 1;

-- name: archived_head
-- The newest archived event.
SELECT sequence, hash
FROM events_archive
WHERE run_id = :run_id
ORDER BY sequence DESC
LIMIT 1;

-- name: insert
-- One sealed event.
INSERT INTO events (
  run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash
) VALUES (
  :run_id, :sequence, :event_id, :type, :timestamp, :payload, :causer_event_id, :source,
  :prev_hash, :hash
);

-- name: live
-- Raw live rows, for the walk of the chain.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events
WHERE run_id = :run_id AND sequence > :after
  AND sequence <= :upto  --? upto
ORDER BY sequence
LIMIT :chunk  --? chunk
;

-- name: archived
-- Raw archived rows, for the walk of the chain.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events_archive
WHERE run_id = :run_id AND sequence > :after
  AND sequence <= :upto  --? upto
ORDER BY sequence
LIMIT :chunk  --? chunk
;

-- name: one
-- The row at a place; the live one where both tables hold it.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 0 AS archived
FROM events
WHERE run_id = :run_id AND sequence = :sequence
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 1 AS archived
FROM events_archive
WHERE run_id = :run_id AND sequence = :sequence
ORDER BY archived
LIMIT 1;

-- name: place
-- Where a live event is.
SELECT run_id, sequence, hash FROM events WHERE event_id = :event_id;

-- name: copy_to_archive
-- The first half of a compaction: rows go unchanged, in order.
INSERT INTO events_archive (
  run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash
)
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash
FROM events
WHERE run_id = :run_id AND sequence <= :through
ORDER BY sequence;

-- name: delete_archived
-- The second half of a compaction.
DELETE FROM events WHERE run_id = :run_id AND sequence <= :through;
