-- Signed documents that were made here.

-- name: list
-- Those of a run, or over the whole store, newest first, without what they say.
SELECT attestation_id, run_id, by_name, signer, made_at, head_sequence, runs
FROM cx_attestations
WHERE 1 = 1
  AND run_id = :run_id  --? run_id
  AND run_id IS NULL  --? !run_id
ORDER BY made_at DESC, attestation_id DESC
LIMIT :limit;

-- name: document
-- One of them.
SELECT document
FROM cx_attestations
WHERE attestation_id = :attestation_id
  AND run_id = :run_id  --? run_id
  AND run_id IS NULL  --? !run_id
;

-- name: newest_end
-- How the last attempt ended.
SELECT verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at, number
FROM cx_verifications
WHERE kind = 'attestation' AND outcome NOT IN ('running', 'stopping')
  AND run_id = :run_id  --? run_id
  AND run_id IS NULL  --? !run_id
ORDER BY number DESC
LIMIT 1;

-- name: save
-- A document.
INSERT INTO cx_attestations (
  attestation_id, run_id, by_name, signer, made_at, head_sequence, runs, document
) VALUES (
  :attestation_id, :run_id, :by_name, :signer, :made_at, :head_sequence, :runs, :document
);

-- name: drop_older
-- All but the newest ones.
DELETE FROM cx_attestations
WHERE attestation_id IN (
  SELECT attestation_id
  FROM cx_attestations
  WHERE 1 = 1
    AND run_id = :run_id  --? run_id
    AND run_id IS NULL  --? !run_id
  ORDER BY made_at DESC, attestation_id DESC
  LIMIT :most OFFSET :kept
);
