-- Our own tables, eighth version: which chains are due to be verified is found without reading
-- the others.

-- name: heads_checked_at
-- When a verification of the chain ended last, whatever it found; empty for never.
ALTER TABLE cx_heads ADD COLUMN IF NOT EXISTS checked_at TEXT NOT NULL DEFAULT '';

-- name: fill_checked_at
-- Verifications that were kept already.
UPDATE cx_heads
SET checked_at = checked.finished_at
FROM (
  SELECT run_id, max(finished_at) AS finished_at
  FROM cx_verifications
  WHERE kind = 'run' AND outcome IN ('verified', 'broken', 'failed')
  GROUP BY run_id
) AS checked
WHERE checked.run_id = cx_heads.run_id;

-- name: cx_heads_checked
-- Runs to verify again, longest unchecked first.
CREATE INDEX IF NOT EXISTS cx_heads_checked ON cx_heads (checked_at, run_id);
