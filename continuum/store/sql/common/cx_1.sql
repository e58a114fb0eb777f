-- Our own tables, first version: all but the heads of runs, which stand with the triggers that
-- keep them.

-- name: cx_meta
-- Facts about our own tables.
CREATE TABLE IF NOT EXISTS cx_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

-- name: cx_runs_by_creation
-- Pages of all runs.
CREATE INDEX IF NOT EXISTS cx_runs_by_creation ON runs (created_at, run_id);

-- name: cx_runs_active
-- The run that is meant when none is named.
CREATE INDEX IF NOT EXISTS cx_runs_active ON runs (updated_at, run_id)
WHERE status NOT IN ('completed', 'crashed', 'aborted', 'failed');

-- name: cx_summaries
-- The list row of every run, as last judged.
CREATE TABLE IF NOT EXISTS cx_summaries (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  mode TEXT NOT NULL,
  safe INTEGER NOT NULL,
  own_mode TEXT NOT NULL,
  severity INTEGER NOT NULL,
  status TEXT NOT NULL,
  goal TEXT NOT NULL,
  parent_run_id TEXT,
  created_at TEXT NOT NULL,
  last_event_at TEXT,
  last_event_type TEXT,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  total INTEGER,
  open_actions INTEGER NOT NULL,
  actions INTEGER NOT NULL,
  children INTEGER NOT NULL,
  blocked_children INTEGER NOT NULL,
  caller TEXT,
  reasons TEXT NOT NULL,
  oldest_open_at TEXT,
  valid_until TEXT,
  computed_at TEXT NOT NULL,
  snapshot TEXT NOT NULL
);

-- name: cx_summaries_by_creation
-- Pages of the runs list.
CREATE INDEX IF NOT EXISTS cx_summaries_by_creation ON cx_summaries (created_at, run_id);

-- name: cx_summaries_by_mode
-- The same, for one verdict.
CREATE INDEX IF NOT EXISTS cx_summaries_by_mode ON cx_summaries (mode, created_at, run_id);

-- name: cx_summaries_by_status
-- The same, for one status.
CREATE INDEX IF NOT EXISTS cx_summaries_by_status ON cx_summaries (status, created_at, run_id);

-- name: cx_summaries_by_parent
-- The same, for one family.
CREATE INDEX IF NOT EXISTS cx_summaries_by_parent
ON cx_summaries (parent_run_id, created_at, run_id)
WHERE parent_run_id IS NOT NULL;

-- name: cx_summaries_by_caller
-- The same, for one caller.
CREATE INDEX IF NOT EXISTS cx_summaries_by_caller ON cx_summaries (caller, created_at, run_id)
WHERE caller IS NOT NULL;

-- name: cx_summaries_by_expiry
-- Verdicts that change by time alone.
CREATE INDEX IF NOT EXISTS cx_summaries_by_expiry ON cx_summaries (valid_until)
WHERE valid_until IS NOT NULL;

-- name: cx_items
-- One row per thing that needs, or needed, a person.
CREATE TABLE IF NOT EXISTS cx_items (
  item_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  severity INTEGER NOT NULL,
  title TEXT NOT NULL,
  detail TEXT NOT NULL,
  goal TEXT NOT NULL,
  action_type TEXT,
  caller TEXT,
  parent_run_id TEXT,
  opened_at TEXT NOT NULL,
  opened_sequence INTEGER NOT NULL,
  claimed_by TEXT,
  claimed_at TEXT,
  closed_at TEXT,
  closed_by TEXT,
  closed_via TEXT,
  closed_sequence INTEGER
);

-- name: cx_items_open
-- The inbox, worst first.
CREATE INDEX IF NOT EXISTS cx_items_open ON cx_items (severity, opened_at, item_id)
WHERE closed_at IS NULL;

-- name: cx_items_open_by_run
-- What of a run is open.
CREATE INDEX IF NOT EXISTS cx_items_open_by_run ON cx_items (run_id) WHERE closed_at IS NULL;

-- name: cx_items_closed
-- What was closed, newest first.
CREATE INDEX IF NOT EXISTS cx_items_closed ON cx_items (closed_at, item_id)
WHERE closed_at IS NOT NULL;

-- name: cx_items_by_run
-- Everything there ever was about a run.
CREATE INDEX IF NOT EXISTS cx_items_by_run ON cx_items (run_id, closed_at);

-- name: cx_actions
-- The ledger of every run: the newest record of each key, and where the key first appeared.
-- signature: digest over the stems of its identity tokens, NULL when it has none.
CREATE TABLE IF NOT EXISTS cx_actions (
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,
  action_id TEXT NOT NULL,
  action_type TEXT NOT NULL,
  status TEXT NOT NULL,
  external_id TEXT,
  attempts INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  signature TEXT,
  record TEXT NOT NULL,
  PRIMARY KEY (run_id, key)
);

-- name: cx_actions_by_status
-- The unresolved ones of a run.
CREATE INDEX IF NOT EXISTS cx_actions_by_status ON cx_actions (run_id, status);

-- name: cx_actions_by_id
-- An action by its own id.
CREATE INDEX IF NOT EXISTS cx_actions_by_id ON cx_actions (action_id);

-- name: cx_actions_by_signature
-- Actions that may be the same thing spelled differently.
CREATE INDEX IF NOT EXISTS cx_actions_by_signature
ON cx_actions (run_id, action_type, signature)
WHERE signature IS NOT NULL;

-- name: cx_decisions
-- What people decided, once per request.
CREATE TABLE IF NOT EXISTS cx_decisions (
  request_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  person TEXT NOT NULL,
  via TEXT NOT NULL,
  at TEXT NOT NULL,
  seen_digest TEXT,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_hash TEXT NOT NULL
);

-- name: cx_decisions_by_run
-- Decisions on a run, in the order of their events.
CREATE INDEX IF NOT EXISTS cx_decisions_by_run ON cx_decisions (run_id, sequence);
