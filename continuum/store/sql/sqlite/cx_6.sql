-- Our own tables, sixth version: lists of all actions and of all families.

-- name: forget_kept_actions
-- What a change that was given up left behind in this session.
DROP TABLE IF EXISTS temp.kept_actions;

-- name: keep_actions
-- Columns cannot be added only where they are missing, so the table is made anew.
CREATE TEMP TABLE kept_actions AS
SELECT
  run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM cx_actions;

-- name: drop_cx_actions
-- With its indexes.
DROP TABLE cx_actions;

-- name: cx_actions
-- The ledger of every run: the newest record of each key, and where the key first appeared.
-- signature: digest over the stems of its identity tokens, NULL when it has none.
-- moment: when it was settled; since when it is open, while it is.
-- is_open: 1 while nobody knows what became of it.
CREATE TABLE cx_actions (
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
  moment TEXT NOT NULL DEFAULT '',
  is_open INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, key)
);

-- name: return_actions
-- Actions that were there already.
INSERT INTO cx_actions (
  run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
)
SELECT
  run_id, key, action_id, action_type, status, external_id, attempts, first_sequence,
  last_sequence, signature, record
FROM temp.kept_actions;

-- name: drop_kept_actions
-- They are back.
DROP TABLE temp.kept_actions;

-- name: cx_actions_by_status
-- The unresolved ones of a run.
CREATE INDEX cx_actions_by_status ON cx_actions (run_id, status);

-- name: cx_actions_by_id
-- An action by its own id.
CREATE INDEX cx_actions_by_id ON cx_actions (action_id);

-- name: cx_actions_by_signature
-- Actions that may be the same thing spelled differently.
CREATE INDEX cx_actions_by_signature ON cx_actions (run_id, action_type, signature)
WHERE signature IS NOT NULL;

-- name: fill_actions
-- Actions that are there already.
UPDATE cx_actions
SET
  is_open = status IN ('started', 'unknown', 'requires_review', 'unreadable'),
  moment = CASE
    WHEN status IN ('started', 'unknown', 'requires_review')
      AND COALESCE(json_extract(record, '$.started_at'), json_extract(record, '$.created_at'), '')
        LIKE '%Z'
    THEN replace(
      COALESCE(json_extract(record, '$.started_at'), json_extract(record, '$.created_at')),
      'Z', '+00:00'
    )
    ELSE COALESCE(
      (
        SELECT timestamp FROM events
        WHERE events.run_id = cx_actions.run_id AND sequence = last_sequence
      ),
      (
        SELECT timestamp FROM events_archive
        WHERE events_archive.run_id = cx_actions.run_id AND sequence = last_sequence
      ),
      ''
    )
  END;

-- name: cx_actions_listed
-- Actions of all runs: open ones by age, settled ones by when. What a list is narrowed by stands
-- behind, so that rows it leaves out are not read.
CREATE INDEX IF NOT EXISTS cx_actions_listed
ON cx_actions (is_open, moment, run_id, key, status, action_type);

-- name: cx_actions_by_external_id
-- Actions by what the outside calls them.
CREATE INDEX IF NOT EXISTS cx_actions_by_external_id ON cx_actions (external_id)
WHERE external_id IS NOT NULL;

-- name: cx_actions_in_order
-- The actions of a run in order of first appearance.
CREATE INDEX IF NOT EXISTS cx_actions_in_order ON cx_actions (run_id, first_sequence);

-- name: cx_summaries_roots
-- Families, newest first.
CREATE INDEX IF NOT EXISTS cx_summaries_roots ON cx_summaries (created_at, run_id)
WHERE children > 0 AND parent_run_id IS NULL;

-- name: cx_runs_children
-- Children of a run, newest first.
CREATE INDEX IF NOT EXISTS cx_runs_children ON runs (parent_run_id, created_at, run_id)
WHERE parent_run_id IS NOT NULL;

-- name: cx_archive_by_type
-- Archived events of a type within a run.
CREATE INDEX IF NOT EXISTS cx_archive_by_type ON events_archive (run_id, type);
