-- What a store says about its own shape, and the steps from an older one.

-- name: tables
-- Which of the tables that tell stores apart exist.
SELECT name
FROM sqlite_master
WHERE type = 'table' AND name IN ('continuum_meta', 'runs', 'cx_meta');

-- name: version
-- The schema version both clients go by.
SELECT value FROM continuum_meta WHERE key = 'schema_version';

-- name: cx_version
-- The version of our own tables.
SELECT value FROM cx_meta WHERE key = 'schema_version';

-- name: set_version
-- Stamp the store.
INSERT INTO continuum_meta (key, value) VALUES ('schema_version', :version)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: set_cx_version
-- Stamp our own tables.
INSERT INTO cx_meta (key, value, updated_at) VALUES ('schema_version', :version, :at)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: record_migration
-- Remember a step.
INSERT INTO schema_migrations (version, name, applied_at) VALUES (:version, :name, :at)
ON CONFLICT (version, name) DO NOTHING;

-- name: columns
-- The columns of a table.
SELECT name FROM pragma_table_info(:table);

-- name: add_event_source
-- Step 2: who asserted an event.
ALTER TABLE events ADD COLUMN source TEXT NOT NULL DEFAULT 'deterministic';

-- name: add_event_prev_hash
-- Step 2: the link of the chain.
ALTER TABLE events ADD COLUMN prev_hash TEXT;

-- name: add_run_parent
-- Step 6: families.
ALTER TABLE runs ADD COLUMN parent_run_id TEXT REFERENCES runs (run_id);

-- name: run_estimate
-- About how many runs there are; rows are rarely deleted.
SELECT COALESCE(MAX(rowid), 0) FROM runs;

-- name: guards
-- Our triggers as they are.
SELECT name, sql
FROM sqlite_master
WHERE type = 'trigger' AND name LIKE 'cx\_%' ESCAPE '\';

-- name: guards_mark
-- Changes whenever anything of the schema does.
SELECT schema_version FROM pragma_schema_version;

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
  stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
  ledger_sequence = -1,
  action_sequence = COALESCE((
    SELECT max(sequence) FROM events WHERE events.run_id = cx_heads.run_id
  ), action_sequence);
