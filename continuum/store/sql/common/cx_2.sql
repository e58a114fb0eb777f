-- Our own tables, second version: the allowlist of callers and its history.

-- name: cx_callers
-- Who may write. `tools`, `secret` and `old_secret` are JSON; no secret is stored, only seals.
CREATE TABLE IF NOT EXISTS cx_callers (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  tools TEXT NOT NULL,
  secret TEXT,
  old_secret TEXT,
  run_pattern TEXT NOT NULL,
  expires_at TEXT,
  confirm_override TEXT NOT NULL,
  note TEXT NOT NULL,
  version INTEGER NOT NULL,
  entry_sequence INTEGER NOT NULL,
  added_by TEXT NOT NULL,
  added_at TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  last_seen_at TEXT,
  last_seen_version TEXT
);

-- name: cx_callers_enabled
-- Whether the table decides is asked at every call.
CREATE INDEX IF NOT EXISTS cx_callers_enabled ON cx_callers (enabled);

-- name: cx_caller_entries
-- The history: one sealed entry per change, each linked to the one before.
CREATE TABLE IF NOT EXISTS cx_caller_entries (
  sequence INTEGER PRIMARY KEY,
  entry_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  caller TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  payload TEXT NOT NULL,
  prev_hash TEXT,
  hash TEXT NOT NULL
);

-- name: cx_caller_entries_by_caller
-- The history of one caller.
CREATE INDEX IF NOT EXISTS cx_caller_entries_by_caller ON cx_caller_entries (caller, sequence);

-- name: cx_caller_refusals
-- How often which caller was refused, by reason and hour. No record: counts only, and old
-- hours go.
CREATE TABLE IF NOT EXISTS cx_caller_refusals (
  caller TEXT NOT NULL,
  reason TEXT NOT NULL,
  hour TEXT NOT NULL,
  times INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  last_tool TEXT NOT NULL,
  last_via TEXT NOT NULL,
  PRIMARY KEY (caller, reason, hour)
) WITHOUT ROWID;  --? sqlite
);  --? postgres

-- name: cx_caller_refusals_by_hour
-- The last day, and what is to be dropped.
CREATE INDEX IF NOT EXISTS cx_caller_refusals_by_hour ON cx_caller_refusals (hour);
