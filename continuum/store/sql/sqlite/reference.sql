-- The tables both clients share, as of schema version 6 (store.md 1.2). Never changed here.

-- name: continuum_meta
-- Holds the schema version.
CREATE TABLE IF NOT EXISTS continuum_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- name: schema_migrations
-- Which version was reached when.
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL,
  PRIMARY KEY (version, name)
);

-- name: runs
-- One row per run, beside its log.
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY,
  goal TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}',
  parent_run_id TEXT REFERENCES runs (run_id)
);

-- name: events
-- The log. Its hidden row id orders the action index.
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
  archived_at TEXT NOT NULL DEFAULT (datetime('now')),
  PRIMARY KEY (run_id, sequence)
);

-- name: action_index
-- The newest record of every ledger key over the whole store.
CREATE TABLE IF NOT EXISTS action_index (
  key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  status TEXT NOT NULL,
  updated_seq INTEGER NOT NULL,
  action_json TEXT NOT NULL
);

-- name: lg_checkpoints
-- LangGraph checkpoints.
CREATE TABLE IF NOT EXISTS lg_checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  thread_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  parent_id TEXT,
  type TEXT NOT NULL,
  checkpoint BLOB NOT NULL,
  meta_type TEXT NOT NULL DEFAULT 'json',
  metadata BLOB,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  UNIQUE (thread_id, checkpoint_id)
);

-- name: lg_writes
-- Pending writes of LangGraph checkpoints.
CREATE TABLE IF NOT EXISTS lg_writes (
  thread_id TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  blob BLOB NOT NULL,
  UNIQUE (thread_id, checkpoint_id, task_id, idx)
);
