-- Our own tables, eighth version: which chains are due to be verified is found without reading
-- the others.

-- name: forget_kept_heads
-- What a change that was given up left behind in this session.
DROP TABLE IF EXISTS temp.kept_heads;

-- name: keep_heads
-- Columns cannot be added only where they are missing, so the table is made anew.
CREATE TEMP TABLE kept_heads AS
SELECT
  run_id, sequence, hash, revision, stale_since, verified_sequence, verified_hash, verified_at,
  touched_sequence, touched_at, action_sequence, ledger_sequence
FROM cx_heads;

-- name: drop_cx_heads
-- With its indexes; the triggers that keep it stand by.
DROP TABLE cx_heads;

-- name: cx_heads
-- One small row per run: what is known about its log.
-- sequence, hash: the newest event that was noted; live ones may follow it. It is noted when a
-- run becomes stale, is judged or verified, acts, or loses an event, so it is never below what
-- was verified, folded into a snapshot or put into the ledger.
-- stale_since: Unix seconds since when the summary lags, NULL when it does not.
-- ledger_sequence: cx_actions covers the ledger's events up to here; -1 when it is void.
-- checked_at: when a verification of the chain ended last, whatever it found; empty for never.
CREATE TABLE cx_heads (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL DEFAULT 0,
  hash TEXT,
  revision INTEGER NOT NULL DEFAULT 0,
  stale_since INTEGER,
  verified_sequence INTEGER NOT NULL DEFAULT 0,
  verified_hash TEXT,
  verified_at TEXT,
  touched_sequence INTEGER,
  touched_at TEXT,
  action_sequence INTEGER NOT NULL DEFAULT 0,
  ledger_sequence INTEGER NOT NULL DEFAULT 0,
  checked_at TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- name: return_heads
-- What was known already.
INSERT INTO cx_heads (
  run_id, sequence, hash, revision, stale_since, verified_sequence, verified_hash, verified_at,
  touched_sequence, touched_at, action_sequence, ledger_sequence, checked_at
)
SELECT
  run_id, sequence, hash, revision, stale_since, verified_sequence, verified_hash, verified_at,
  touched_sequence, touched_at, action_sequence, ledger_sequence,
  COALESCE((
    SELECT max(finished_at) FROM cx_verifications
    WHERE cx_verifications.run_id = kept_heads.run_id
      AND kind = 'run' AND outcome IN ('verified', 'broken', 'failed')
  ), '')
FROM temp.kept_heads;

-- name: drop_kept_heads
-- They are back.
DROP TABLE temp.kept_heads;

-- name: cx_heads_stale
-- Runs to judge again, longest waiting first.
CREATE INDEX cx_heads_stale ON cx_heads (stale_since, run_id)
WHERE stale_since IS NOT NULL;

-- name: cx_heads_checked
-- Runs to verify again, longest unchecked first.
CREATE INDEX cx_heads_checked ON cx_heads (checked_at, run_id);
