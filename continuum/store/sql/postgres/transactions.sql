-- Beginnings of transactions. The statements of a block go to the server in one round trip.

-- name: begin
-- A write transaction that locks no run.
BEGIN;
SET LOCAL lock_timeout = :wait;

-- name: begin_for_run
-- A write transaction on one run. The run's row is locked first, then the head row, on which
-- writers of the other client queue as well, and only then the head is read: in a statement of
-- its own, because a sub-select beside the lock would keep the snapshot from before the wait.
BEGIN;
SET LOCAL lock_timeout = :wait;
SELECT 1 FROM runs WHERE run_id = :run_id FOR NO KEY UPDATE;
SELECT 1 FROM cx_heads WHERE run_id = :run_id FOR UPDATE;
SELECT sequence, hash FROM events WHERE run_id = :run_id ORDER BY sequence DESC LIMIT 1;

-- name: snapshot
-- Several reads of one moment.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- name: insert_and_commit
-- One sealed event as the end of its transaction.
INSERT INTO events (
  run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash
) VALUES (
  :run_id, :sequence, :event_id, :type, :timestamp, :payload, :causer_event_id, :source,
  :prev_hash, :hash
);
COMMIT;

-- name: look_for_event
-- Whether an event got in whose writer lost its connection. The lock waits for that writer's
-- transaction to end, should the server still be at it.
BEGIN;
SET LOCAL lock_timeout = :wait;
SELECT 1 FROM cx_heads WHERE run_id = :run_id FOR UPDATE;
SELECT run_id, sequence, hash FROM events WHERE event_id = :event_id;
COMMIT;
