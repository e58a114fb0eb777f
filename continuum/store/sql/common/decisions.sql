-- What people decided, once per request.

-- name: one
-- The decision of a request.
SELECT
  request_id, run_id, verb, person, via, at, seen_digest, sequence, event_id, event_hash
FROM cx_decisions
WHERE request_id = :request_id;

-- name: of_run
-- Decisions on a run, in the order of their events.
SELECT
  request_id, run_id, verb, person, via, at, seen_digest, sequence, event_id, event_hash
FROM cx_decisions
WHERE run_id = :run_id
ORDER BY sequence, at;

-- name: newest
-- The last decision on a run behind an event.
SELECT
  request_id, run_id, verb, person, via, at, seen_digest, sequence, event_id, event_hash
FROM cx_decisions
WHERE run_id = :run_id AND sequence > :after
ORDER BY sequence DESC
LIMIT 1;

-- name: insert
-- A decision, with the event it wrote.
INSERT INTO cx_decisions (
  request_id, run_id, verb, person, via, at, seen_digest, sequence, event_id, event_hash
) VALUES (
  :request_id, :run_id, :verb, :person, :via, :at, :seen_digest, :sequence, :event_id,
  :event_hash
);
