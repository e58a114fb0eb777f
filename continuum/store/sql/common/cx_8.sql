-- Our own tables, eighth version: attestations that were made here, and which chains are due.

-- name: cx_attestations
-- Signed documents, to be fetched for a while. run_id: NULL for one over the whole store.
CREATE TABLE IF NOT EXISTS cx_attestations (
  attestation_id TEXT PRIMARY KEY,
  run_id TEXT,
  by_name TEXT NOT NULL,
  signer TEXT NOT NULL,
  made_at TEXT NOT NULL,
  head_sequence INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  document TEXT NOT NULL
);

-- name: cx_attestations_by_run
-- Those of a run, newest first.
CREATE INDEX IF NOT EXISTS cx_attestations_by_run
ON cx_attestations (run_id, made_at, attestation_id);
