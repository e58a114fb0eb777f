-- Our own tables, fourth version: words to search by, and decisions that take two people.

-- name: cx_search_names
-- Exact names: ids and keys of actions, ids in other systems, first digits of hashes.
CREATE TABLE IF NOT EXISTS cx_search_names (
  name TEXT NOT NULL,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  PRIMARY KEY (name, run_id, kind, ref)
) WITHOUT ROWID;  --? sqlite
);  --? postgres

-- name: cx_search_names_by_run
-- Those of a run, to take them out.
CREATE INDEX IF NOT EXISTS cx_search_names_by_run ON cx_search_names (run_id);

-- name: cx_search_runs
-- How far the log of each run was taken in, -1 for not at all, and how far it goes.
CREATE TABLE IF NOT EXISTS cx_search_runs (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL DEFAULT -1,
  wanted INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;  --? sqlite
);  --? postgres

-- name: cx_search_runs_behind
-- Runs to go on with.
CREATE INDEX IF NOT EXISTS cx_search_runs_behind ON cx_search_runs (run_id)
WHERE sequence < wanted;

-- name: fill_search_runs
-- Runs that are there already.
INSERT INTO cx_search_runs (run_id, sequence, wanted)
SELECT run_id, -1, sequence FROM cx_summaries
WHERE run_id NOT IN (SELECT run_id FROM cx_search_runs);

-- name: cx_policies
-- Which decisions take two people, as a list of changes; the newest of a subject holds.
-- subject: `action` with a type, or `over_open_items`.
CREATE TABLE IF NOT EXISTS cx_policies (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  --? sqlite
  number BIGSERIAL PRIMARY KEY,  --? postgres
  subject TEXT NOT NULL,
  action_type TEXT NOT NULL,
  two_people INTEGER NOT NULL,
  by_name TEXT NOT NULL,
  via TEXT NOT NULL,
  at TEXT NOT NULL,
  reason TEXT NOT NULL
);

-- name: cx_policies_by_subject
-- The newest of a subject.
CREATE INDEX IF NOT EXISTS cx_policies_by_subject
ON cx_policies (subject, action_type, number);

-- name: cx_proposals
-- What a first person decided where two are needed. Kept also when nothing came of it.
-- answer: JSON of what is proposed. question: digest of what it rests on.
CREATE TABLE IF NOT EXISTS cx_proposals (
  proposal_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  key TEXT NOT NULL,
  action_type TEXT NOT NULL,
  answer TEXT NOT NULL,
  question TEXT NOT NULL,
  person TEXT NOT NULL,
  via TEXT NOT NULL,
  at TEXT NOT NULL,
  reason TEXT NOT NULL,
  request_id TEXT UNIQUE,
  seen_sequence INTEGER NOT NULL,
  status TEXT NOT NULL,
  closed_by TEXT,
  closed_at TEXT,
  closed_reason TEXT,
  event_sequence INTEGER
);

-- name: cx_proposals_by_run
-- Those about a run.
CREATE INDEX IF NOT EXISTS cx_proposals_by_run ON cx_proposals (run_id, status, at);

-- name: cx_proposals_open
-- Those that wait for a second person, over all runs.
CREATE INDEX IF NOT EXISTS cx_proposals_open ON cx_proposals (at) WHERE status = 'open';

-- name: cx_overturned
-- Decisions by which a person overruled what the engine held: `override` of a recorded outcome,
-- or completion `over_open_items`.
CREATE TABLE IF NOT EXISTS cx_overturned (
  request_id TEXT PRIMARY KEY,
  how TEXT NOT NULL
);

-- name: cx_decisions_by_time
-- Decisions of the last days.
CREATE INDEX IF NOT EXISTS cx_decisions_by_time ON cx_decisions (at);
