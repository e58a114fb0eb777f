-- Which decisions take two people, and what a first one proposed.

-- name: in_force
-- The newest row of each subject, where it asks for two people.
SELECT number, subject, action_type, two_people, by_name, via, at, reason
FROM cx_policies AS policy
WHERE two_people = 1
  AND NOT EXISTS (
    SELECT 1 FROM cx_policies AS later
    WHERE later.subject = policy.subject
      AND later.action_type = policy.action_type
      AND later.number > policy.number
  )
ORDER BY subject, action_type;

-- name: changes
-- What was changed, newest first.
SELECT number, subject, action_type, two_people, by_name, via, at, reason
FROM cx_policies
ORDER BY number DESC
LIMIT :limit;

-- name: insert
-- A change.
INSERT INTO cx_policies (subject, action_type, two_people, by_name, via, at, reason)
VALUES (:subject, :action_type, :two_people, :by_name, :via, :at, :reason);

-- name: proposal
-- One proposal.
SELECT
  proposal_id, run_id, verb, key, action_type, answer, question, person, via, at, reason,
  request_id, seen_sequence, status, closed_by, closed_at, closed_reason, event_sequence
FROM cx_proposals
WHERE proposal_id = :proposal_id;

-- name: proposal_of_request
-- What a form proposed.
SELECT
  proposal_id, run_id, verb, key, action_type, answer, question, person, via, at, reason,
  request_id, seen_sequence, status, closed_by, closed_at, closed_reason, event_sequence
FROM cx_proposals
WHERE request_id = :request_id;

-- name: proposals
-- Those about a run, newest first.
SELECT
  proposal_id, run_id, verb, key, action_type, answer, question, person, via, at, reason,
  request_id, seen_sequence, status, closed_by, closed_at, closed_reason, event_sequence
FROM cx_proposals
WHERE run_id = :run_id
  AND status = :status  --? status
  AND key = :key  --? key
ORDER BY at DESC, proposal_id DESC
LIMIT :limit;

-- name: open_proposals
-- What waits for a second person, oldest first.
SELECT
  proposal_id, run_id, verb, key, action_type, answer, question, person, via, at, reason,
  request_id, seen_sequence, status, closed_by, closed_at, closed_reason, event_sequence
FROM cx_proposals
WHERE status = 'open'
ORDER BY at
LIMIT :limit;

-- name: insert_proposal
-- A proposal.
INSERT INTO cx_proposals (
  proposal_id, run_id, verb, key, action_type, answer, question, person, via, at, reason,
  request_id, seen_sequence, status
) VALUES (
  :proposal_id, :run_id, :verb, :key, :action_type, :answer, :question, :person, :via, :at,
  :reason, :request_id, :seen_sequence, :status
);

-- name: close_proposal
-- How it ended.
UPDATE cx_proposals
SET
  status = :status,
  closed_by = :closed_by,
  closed_at = :closed_at,
  closed_reason = :closed_reason,
  event_sequence = :event_sequence
WHERE proposal_id = :proposal_id AND status = 'open';

-- name: insert_overturned
-- A decision that overruled what the engine held.
INSERT INTO cx_overturned (request_id, how) VALUES (:request_id, :how);
