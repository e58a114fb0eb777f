-- What triggers keep about each run's log.

-- name: mark
-- One run. Live events may follow the newest one that was noted.
SELECT
  heads.run_id,
  CASE WHEN live.sequence > heads.sequence THEN live.sequence ELSE heads.sequence END,
  CASE WHEN live.sequence > heads.sequence THEN live.hash ELSE heads.hash END,
  heads.verified_sequence,
  heads.verified_hash,
  heads.verified_at,
  heads.touched_sequence,
  heads.touched_at,
  heads.revision
FROM cx_heads AS heads
LEFT JOIN (
  SELECT run_id, sequence, hash
  FROM events
  WHERE run_id = :run_id
  ORDER BY sequence DESC
  LIMIT 1
) AS live ON live.run_id = heads.run_id
WHERE heads.run_id = :run_id;

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
  sequence = CASE WHEN sequence < :sequence THEN :sequence ELSE sequence END,
  hash = CASE WHEN sequence < :sequence THEN :hash ELSE hash END,
  verified_sequence = :sequence,
  verified_hash = :hash,
  verified_at = :at,
  touched_sequence = NULL,
  touched_at = NULL
WHERE run_id = :run_id;

-- name: note_summary
-- A summary was computed at an event, which is noted; it is as new as the log if that event is
-- the newest and nothing else came between.
UPDATE cx_heads
SET
  sequence = CASE WHEN sequence < :sequence THEN :sequence ELSE sequence END,
  hash = CASE
    WHEN sequence < :sequence THEN (
      SELECT hash FROM events WHERE run_id = :run_id AND sequence = :sequence
    )
    ELSE hash
  END,
  stale_since = CASE
    WHEN :sequence = COALESCE((SELECT max(sequence) FROM events WHERE run_id = :run_id), 0)
      AND revision = :revision  --? revision
      THEN NULL
    ELSE stale_since
  END
WHERE run_id = :run_id;
