-- What a database says about its own shape.

-- name: tables
-- Which of the tables that tell databases apart exist on the search path.
SELECT
  to_regclass('events') IS NOT NULL AND to_regclass('action_index') IS NOT NULL,
  to_regclass('cx_meta') IS NOT NULL;

-- name: cx_version
-- The version of our own tables.
SELECT value FROM cx_meta WHERE key = 'schema_version';

-- name: set_cx_version
-- Stamp our own tables.
INSERT INTO cx_meta (key, value, updated_at) VALUES ('schema_version', :version, :at)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: lock
-- One migration at a time; the number is any, and ours.
SELECT pg_advisory_xact_lock(727453081);

-- name: index_is_missing
-- True when there are actions but no index row, which locks the other client out.
SELECT
  EXISTS (
    SELECT 1 FROM events
    WHERE type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
  )
  AND NOT EXISTS (SELECT 1 FROM action_index);

-- name: run_estimate
-- About how many runs there are: what the planner believes, or a count where it knows nothing.
SELECT
  CASE
    WHEN reltuples >= 0 THEN CAST(reltuples AS BIGINT)
    ELSE (SELECT count(*) FROM runs)
  END
FROM pg_class
WHERE oid = to_regclass('runs');

-- name: backend
-- Which server process answers; behind a pool it is not the one that was connected to.
SELECT pg_backend_pid();
