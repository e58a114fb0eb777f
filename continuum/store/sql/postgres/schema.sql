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

-- name: guards
-- Our triggers that are on, and the bodies of their functions.
SELECT one.tgname, pg_get_triggerdef(one.oid, true)
FROM pg_trigger AS one
JOIN pg_class AS subject ON subject.oid = one.tgrelid
WHERE NOT one.tgisinternal
  AND one.tgenabled IN ('O', 'A')
  AND subject.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('events'))
UNION ALL
SELECT one.proname || '()', one.prosrc
FROM pg_proc AS one
WHERE one.proname LIKE 'cx\_%'
  AND one.pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('events'));

-- name: guards_mark
-- Changes when a trigger of the log is added, dropped or switched, or a body of ours is altered.
SELECT
  (
    SELECT COALESCE(sum(CAST(hashtext(tgname || CAST(tgenabled AS TEXT)) AS BIGINT)), 0)
    FROM pg_trigger
    WHERE tgrelid IN (to_regclass('events'), to_regclass('events_archive'), to_regclass('runs'))
      AND NOT tgisinternal
  ) + (
    SELECT COALESCE(sum(CAST(hashtext(prosrc) AS BIGINT)), 0)
    FROM pg_proc
    WHERE proname >= 'cx_' AND proname < 'cx`'
      AND pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('events'))
  );

-- name: add_heads
-- Runs that came while nobody noticed.
INSERT INTO cx_heads (run_id)
SELECT run_id FROM runs WHERE run_id NOT IN (SELECT run_id FROM cx_heads);

-- name: distrust_heads
-- No walk counts, every run is judged anew, every ledger computed anew.
UPDATE cx_heads
SET
  verified_sequence = 0,
  verified_hash = NULL,
  verified_at = NULL,
  revision = revision + 1,
  stale_since = COALESCE(stale_since, CAST(extract(epoch FROM now()) AS BIGINT)),
  ledger_sequence = -1,
  action_sequence = COALESCE((
    SELECT max(sequence) FROM events WHERE events.run_id = cx_heads.run_id
  ), action_sequence);
