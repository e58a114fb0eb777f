-- Our own tables, sixth version: lists of all actions and of all families.

-- name: actions_moment
-- When an action was settled; since when it is open, while it is.
ALTER TABLE cx_actions ADD COLUMN IF NOT EXISTS moment TEXT NOT NULL DEFAULT '';

-- name: actions_is_open
-- 1 while nobody knows what became of it.
ALTER TABLE cx_actions ADD COLUMN IF NOT EXISTS is_open SMALLINT NOT NULL DEFAULT 0;

-- name: fill_actions
-- Actions that are there already.
UPDATE cx_actions
SET
  is_open = CASE
    WHEN status IN ('started', 'unknown', 'requires_review', 'unreadable') THEN 1
    ELSE 0
  END,
  moment = CASE
    WHEN status IN ('started', 'unknown', 'requires_review')
      AND COALESCE(CAST(record AS JSON) ->> 'started_at', CAST(record AS JSON) ->> 'created_at', '')
        LIKE '%Z'
    THEN replace(
      COALESCE(CAST(record AS JSON) ->> 'started_at', CAST(record AS JSON) ->> 'created_at'),
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
-- Actions of all runs: open ones by age, settled ones by when. A type may be too long for an
-- index of this server, and so may an external id; the first part of it will do.
CREATE INDEX IF NOT EXISTS cx_actions_listed ON cx_actions (is_open, moment, run_id, key, status);

-- name: cx_actions_by_external_id
-- Actions by what the outside calls them.
CREATE INDEX IF NOT EXISTS cx_actions_by_external_id
ON cx_actions (left(external_id, 500) text_pattern_ops)
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
