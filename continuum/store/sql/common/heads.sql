-- What triggers keep about each run's log.

-- name: mark
-- One run.
SELECT run_id, sequence, hash, verified_sequence, verified_hash, verified_at, touched_sequence,
  touched_at, revision
FROM cx_heads
WHERE run_id = :run_id;

-- name: stale
-- Runs to judge again, longest waiting first.
SELECT run_id
FROM cx_heads
WHERE stale_since IS NOT NULL
ORDER BY stale_since, run_id
LIMIT :limit;

-- name: save_verified
-- The chain was walked and found healthy up to here.
UPDATE cx_heads
SET
  verified_sequence = :sequence,
  verified_hash = :hash,
  verified_at = :at,
  touched_sequence = NULL,
  touched_at = NULL
WHERE run_id = :run_id;

-- name: clear_stale
-- The summary is as new as the log, if nothing came between.
UPDATE cx_heads
SET stale_since = NULL
WHERE run_id = :run_id
  AND sequence = :sequence
  AND revision = :revision  --? revision
;
