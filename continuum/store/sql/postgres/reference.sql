-- The tables both clients share, as the other one makes them (store.md 2). Never changed here.

-- name: continuum_meta
-- Made by the other client and left empty by both.
CREATE TABLE IF NOT EXISTS continuum_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- name: runs
-- One row per run, beside its log.
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY,
  parent_run_id TEXT REFERENCES runs (run_id),
  goal TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}'
);

-- name: events
-- The log.
CREATE TABLE IF NOT EXISTS events (
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  payload TEXT NOT NULL,
  causer_event_id TEXT,
  source TEXT NOT NULL DEFAULT 'deterministic',
  prev_hash TEXT,
  hash TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
);

-- name: versions
-- States worth keeping.
CREATE TABLE IF NOT EXISTS versions (
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  prev_fingerprint TEXT,
  reason TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (run_id, version)
);

-- name: checkpoints
-- Sealed states to resume from.
CREATE TABLE IF NOT EXISTS checkpoints (
  checkpoint_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  created_at TEXT NOT NULL,
  integrity_hash TEXT NOT NULL,
  body TEXT NOT NULL
);

-- name: events_archive
-- The compacted prefix of logs, unchanged.
CREATE TABLE IF NOT EXISTS events_archive (
  run_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  payload TEXT NOT NULL,
  causer_event_id TEXT,
  source TEXT NOT NULL,
  prev_hash TEXT,
  hash TEXT NOT NULL,
  archived_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, sequence)
);

-- name: action_index_ord_seq
-- Orders the rows of the action index.
CREATE SEQUENCE IF NOT EXISTS action_index_ord_seq AS BIGINT;

-- name: action_index
-- The newest record of every ledger key over the whole store.
CREATE TABLE IF NOT EXISTS action_index (
  key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  status TEXT NOT NULL,
  updated_seq BIGINT NOT NULL DEFAULT nextval('action_index_ord_seq'),
  action_json TEXT NOT NULL
);

-- name: lg_checkpoints
-- LangGraph checkpoints.
CREATE TABLE IF NOT EXISTS lg_checkpoints (
  id BIGSERIAL PRIMARY KEY,
  thread_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  parent_id TEXT,
  type TEXT NOT NULL,
  checkpoint BYTEA NOT NULL,
  meta_type TEXT NOT NULL DEFAULT 'json',
  metadata BYTEA,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- name: lg_writes
-- Pending writes of LangGraph checkpoints.
CREATE TABLE IF NOT EXISTS lg_writes (
  id BIGSERIAL PRIMARY KEY,
  thread_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  blob BYTEA NOT NULL,
  UNIQUE (thread_id, checkpoint_id, task_id, idx)
);

-- name: events_by_type
-- Events of a type within a run.
CREATE INDEX IF NOT EXISTS events_by_type ON events (run_id, type);

-- name: checkpoints_by_run
-- Checkpoints of a run by version.
CREATE INDEX IF NOT EXISTS checkpoints_by_run ON checkpoints (run_id, version);

-- name: action_index_run
-- Index rows of a run.
CREATE INDEX IF NOT EXISTS action_index_run ON action_index (run_id);

-- name: lg_checkpoints_thread
-- Newest checkpoint of a thread.
CREATE INDEX IF NOT EXISTS lg_checkpoints_thread ON lg_checkpoints (thread_id, id DESC);
