-- Our own tables, first version. Triggers keep `cx_heads`, so that an append by any client
-- marks its run in the same transaction. Functions keep the search path they were made with, so
-- that they work for a client with another one.

-- name: cx_heads
-- One small row per run: the newest event ever seen, and what is known about the log.
-- stale_since: Unix microseconds since when the summary lags, NULL when it does not.
-- Half of each page is left free, so that the update of an append stays on its page.
-- ledger_sequence: cx_actions covers the ledger's events up to here; -1 when it is void.
CREATE TABLE IF NOT EXISTS cx_heads (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL DEFAULT 0,
  hash TEXT,
  revision BIGINT NOT NULL DEFAULT 0,
  stale_since BIGINT,
  verified_sequence INTEGER NOT NULL DEFAULT 0,
  verified_hash TEXT,
  verified_at TEXT,
  touched_sequence INTEGER,
  touched_at TEXT,
  action_sequence INTEGER NOT NULL DEFAULT 0,
  ledger_sequence INTEGER NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- name: cx_heads_stale
-- Runs to judge again, longest waiting first.
CREATE INDEX IF NOT EXISTS cx_heads_stale ON cx_heads (stale_since, run_id)
WHERE stale_since IS NOT NULL;

-- name: cx_runs_by_parent
-- Children of a run; the other client makes no such index here.
CREATE INDEX IF NOT EXISTS cx_runs_by_parent ON runs (parent_run_id)
WHERE parent_run_id IS NOT NULL;

-- name: cx_note_append
-- An append, before the row goes in: the lock on the head row is taken first, so writers of a
-- run queue up here, whichever client they are. A row at or below the newest sequence is no
-- append: it replaced or filled in. Listeners hear of a run once until it is judged again.
CREATE OR REPLACE FUNCTION cx_note_append() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  moment BIGINT := CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT);
  first_news BOOLEAN;
BEGIN
  UPDATE cx_heads
  SET
    sequence = GREATEST(sequence, NEW.sequence),
    hash = CASE WHEN NEW.sequence > sequence THEN NEW.hash ELSE hash END,
    revision = revision + 1,
    stale_since = COALESCE(stale_since, moment),
    action_sequence = CASE
      WHEN NEW.type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
        THEN GREATEST(action_sequence, NEW.sequence)
      ELSE action_sequence
    END,
    verified_sequence = CASE WHEN NEW.sequence > sequence THEN verified_sequence ELSE 0 END,
    touched_sequence = CASE
      WHEN NEW.sequence > sequence THEN touched_sequence
      ELSE LEAST(touched_sequence, NEW.sequence)
    END,
    touched_at = CASE
      WHEN NEW.sequence > sequence THEN touched_at
      ELSE to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
    END,
    ledger_sequence = CASE WHEN NEW.sequence > sequence THEN ledger_sequence ELSE -1 END
  WHERE run_id = NEW.run_id
  RETURNING stale_since = moment INTO first_news;
  IF first_news THEN
    PERFORM pg_notify('continuum', left(NEW.run_id, 1000));
  END IF;
  RETURN NEW;
END
$body$;

-- name: cx_note_touch
-- Drop what is known about a log from one of its rows on.
CREATE OR REPLACE FUNCTION cx_note_touch(touched_run TEXT, touched_row INTEGER)
RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  moment BIGINT := CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT);
  first_news BOOLEAN;
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, moment),
    verified_sequence = 0,
    touched_sequence = LEAST(touched_sequence, touched_row),
    touched_at = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
    ledger_sequence = -1
  WHERE run_id = touched_run
  RETURNING stale_since = moment INTO first_news;
  IF first_news THEN
    PERFORM pg_notify('continuum', left(touched_run, 1000));
  END IF;
END
$body$;

-- name: cx_note_stale
-- Have a run judged again.
CREATE OR REPLACE FUNCTION cx_note_stale(stale_run TEXT) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  moment BIGINT := CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT);
  first_news BOOLEAN;
BEGIN
  UPDATE cx_heads
  SET revision = revision + 1, stale_since = COALESCE(stale_since, moment)
  WHERE run_id = stale_run
  RETURNING stale_since = moment INTO first_news;
  IF first_news THEN
    PERFORM pg_notify('continuum', left(stale_run, 1000));
  END IF;
END
$body$;

-- name: cx_note_event_change
-- A row of either table was changed.
CREATE OR REPLACE FUNCTION cx_note_event_change() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  PERFORM cx_note_touch(OLD.run_id, LEAST(OLD.sequence, NEW.sequence));
  IF NEW.run_id <> OLD.run_id THEN
    PERFORM cx_note_touch(NEW.run_id, NEW.sequence);
  END IF;
  RETURN NULL;
END
$body$;

-- name: cx_note_respelled
-- A compaction by the other client wrote a payload in a spelling of its own: no touch, but the
-- chain must be walked once more.
CREATE OR REPLACE FUNCTION cx_note_respelled(respelled_run TEXT) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  UPDATE cx_heads SET verified_sequence = 0 WHERE run_id = respelled_run;
  PERFORM cx_note_stale(respelled_run);
END
$body$;

-- name: cx_note_event_loss
-- A live event vanished; a compaction leaves it in the archive.
CREATE OR REPLACE FUNCTION cx_note_event_loss() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  same_text BOOLEAN;
BEGIN
  SELECT payload = OLD.payload INTO same_text
  FROM events_archive
  WHERE run_id = OLD.run_id
    AND sequence = OLD.sequence
    AND hash = OLD.hash
    AND event_id = OLD.event_id
    AND type = OLD.type
    AND timestamp = OLD.timestamp
    AND source = OLD.source
    AND causer_event_id IS NOT DISTINCT FROM OLD.causer_event_id
    AND prev_hash IS NOT DISTINCT FROM OLD.prev_hash;
  IF same_text IS NULL THEN
    PERFORM cx_note_touch(OLD.run_id, OLD.sequence);
  ELSIF NOT same_text THEN
    PERFORM cx_note_respelled(OLD.run_id);
  END IF;
  RETURN NULL;
END
$body$;

-- name: cx_note_archive_loss
-- An archived event vanished.
CREATE OR REPLACE FUNCTION cx_note_archive_loss() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  PERFORM cx_note_touch(OLD.run_id, OLD.sequence);
  RETURN NULL;
END
$body$;

-- name: cx_note_archive_gain
-- A row came into the archive; a compaction has it among the live ones.
CREATE OR REPLACE FUNCTION cx_note_archive_gain() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  same_text BOOLEAN;
BEGIN
  SELECT payload = NEW.payload INTO same_text
  FROM events
  WHERE run_id = NEW.run_id
    AND sequence = NEW.sequence
    AND hash = NEW.hash
    AND event_id = NEW.event_id
    AND type = NEW.type
    AND timestamp = NEW.timestamp
    AND source = NEW.source
    AND causer_event_id IS NOT DISTINCT FROM NEW.causer_event_id
    AND prev_hash IS NOT DISTINCT FROM NEW.prev_hash;
  IF same_text IS NULL THEN
    PERFORM cx_note_touch(NEW.run_id, NEW.sequence);
  ELSIF NOT same_text THEN
    PERFORM cx_note_respelled(NEW.run_id);
  END IF;
  RETURN NULL;
END
$body$;

-- name: cx_note_run_insert
-- A new run, whose parent has one child more.
CREATE OR REPLACE FUNCTION cx_note_run_insert() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  INSERT INTO cx_heads (run_id) VALUES (NEW.run_id) ON CONFLICT (run_id) DO NOTHING;
  PERFORM cx_note_stale(NEW.run_id);
  PERFORM cx_note_stale(NEW.parent_run_id);
  RETURN NULL;
END
$body$;

-- name: cx_note_run_update
-- A run's row changed.
CREATE OR REPLACE FUNCTION cx_note_run_update() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  PERFORM cx_note_stale(NEW.run_id);
  PERFORM cx_note_stale(NEW.parent_run_id);
  IF OLD.parent_run_id IS DISTINCT FROM NEW.parent_run_id THEN
    PERFORM cx_note_stale(OLD.parent_run_id);
  END IF;
  RETURN NULL;
END
$body$;

-- name: cx_note_run_delete
-- A run is gone. Decisions about it are kept.
CREATE OR REPLACE FUNCTION cx_note_run_delete() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  DELETE FROM cx_heads WHERE run_id = OLD.run_id;
  DELETE FROM cx_summaries WHERE run_id = OLD.run_id;
  DELETE FROM cx_items WHERE run_id = OLD.run_id;
  DELETE FROM cx_actions WHERE run_id = OLD.run_id;
  PERFORM cx_note_stale(OLD.parent_run_id);
  RETURN NULL;
END
$body$;

-- name: cx_events_insert
-- Appends by any client.
CREATE OR REPLACE TRIGGER cx_events_insert BEFORE INSERT ON events
FOR EACH ROW EXECUTE FUNCTION cx_note_append();

-- name: cx_events_update
-- Changes of live rows.
CREATE OR REPLACE TRIGGER cx_events_update AFTER UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION cx_note_event_change();

-- name: cx_events_delete
-- Losses of live rows.
CREATE OR REPLACE TRIGGER cx_events_delete AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION cx_note_event_loss();

-- name: cx_archive_insert
-- Rows that come into the archive.
CREATE OR REPLACE TRIGGER cx_archive_insert AFTER INSERT ON events_archive
FOR EACH ROW EXECUTE FUNCTION cx_note_archive_gain();

-- name: cx_archive_update
-- Changes of archived rows.
CREATE OR REPLACE TRIGGER cx_archive_update AFTER UPDATE ON events_archive
FOR EACH ROW EXECUTE FUNCTION cx_note_event_change();

-- name: cx_archive_delete
-- Losses of archived rows.
CREATE OR REPLACE TRIGGER cx_archive_delete AFTER DELETE ON events_archive
FOR EACH ROW EXECUTE FUNCTION cx_note_archive_loss();

-- name: cx_runs_insert
-- New runs.
CREATE OR REPLACE TRIGGER cx_runs_insert AFTER INSERT ON runs
FOR EACH ROW EXECUTE FUNCTION cx_note_run_insert();

-- name: cx_runs_update
-- Changes of a run's row.
CREATE OR REPLACE TRIGGER cx_runs_update AFTER UPDATE ON runs
FOR EACH ROW EXECUTE FUNCTION cx_note_run_update();

-- name: cx_runs_delete
-- Runs that are deleted.
CREATE OR REPLACE TRIGGER cx_runs_delete AFTER DELETE ON runs
FOR EACH ROW EXECUTE FUNCTION cx_note_run_delete();

-- name: fill_heads
-- Runs that are there already: their heads, to be judged soon.
INSERT INTO cx_heads (run_id, sequence, hash, stale_since, action_sequence)
SELECT
  runs.run_id,
  COALESCE(head.sequence, 0),
  head.hash,
  CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT),
  GREATEST(
    COALESCE((
      SELECT max(sequence) FROM events
      WHERE run_id = runs.run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    ), 0),
    COALESCE((
      SELECT max(sequence) FROM events_archive
      WHERE run_id = runs.run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    ), 0)
  )
FROM runs
LEFT JOIN events AS head
  ON head.run_id = runs.run_id
  AND head.sequence = (SELECT max(sequence) FROM events WHERE run_id = runs.run_id)
WHERE NOT EXISTS (SELECT 1 FROM cx_heads WHERE run_id = runs.run_id);
