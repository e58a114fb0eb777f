-- Our own tables, third version: what an audit needs.

-- name: cx_verifications
-- What every verification that was kept has found. `run_id` is NULL for the whole store.
-- number: the order they were kept in, whatever the clocks said. head_sequence, head_hash: how
-- far the chain was walked. row_digest: the run's row as it was.
CREATE TABLE IF NOT EXISTS cx_verifications (
  verification_id TEXT NOT NULL UNIQUE,
  run_id TEXT,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  head_sequence INTEGER NOT NULL,
  head_hash TEXT,
  row_digest TEXT,
  events INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  broken_runs INTEGER NOT NULL,
  bad_run_id TEXT,
  bad_sequence INTEGER,
  bad_kind TEXT,
  detail TEXT NOT NULL,
  by_name TEXT NOT NULL,
  via TEXT NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT NOT NULL,
  number INTEGER PRIMARY KEY AUTOINCREMENT  --? sqlite
  number BIGSERIAL PRIMARY KEY  --? postgres
);

-- name: cx_verifications_by_run
-- The newest of a run.
CREATE INDEX IF NOT EXISTS cx_verifications_by_run
ON cx_verifications (run_id, number);

-- name: cx_events_human
-- What people did, over all runs, in the order of time.
CREATE INDEX IF NOT EXISTS cx_events_human ON events (timestamp, run_id, sequence)
WHERE source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED');

-- name: cx_archive_human
-- The same, archived.
CREATE INDEX IF NOT EXISTS cx_archive_human ON events_archive (timestamp, run_id, sequence)
WHERE source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED');

-- name: cx_touched
-- The first hash of every event that was changed, deleted or replaced, by anybody, other than by
-- a compaction. Kept for good, also when its run is deleted: the log must hold these hashes.
CREATE TABLE IF NOT EXISTS cx_touched (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  --? sqlite
  number BIGSERIAL PRIMARY KEY,  --? postgres
  run_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at TEXT NOT NULL,
  UNIQUE (run_id, sequence)
);

-- name: cx_touched_by_hash
-- A row that is moved about leaves its hash at every place; the first one is its own.
CREATE INDEX IF NOT EXISTS cx_touched_by_hash ON cx_touched (run_id, hash, number);
