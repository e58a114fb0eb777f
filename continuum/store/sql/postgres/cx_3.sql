-- Our own tables, third version: what keeps the first hash of touched rows. Functions keep the
-- search path they were made with, so that they work for a client with another one.

-- name: cx_keep_hash
-- Keep the first hash of an event that was changed or deleted.
CREATE OR REPLACE FUNCTION cx_keep_hash(kept_run TEXT, kept_row INTEGER, kept_hash TEXT)
RETURNS void LANGUAGE sql
SET search_path FROM CURRENT AS $body$
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  VALUES (
    kept_run, kept_row, kept_hash,
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
  )
  ON CONFLICT (run_id, sequence) DO NOTHING
$body$;

-- name: cx_keep_old
-- For rows that were changed, or vanished from the archive.
CREATE OR REPLACE FUNCTION cx_keep_old() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  PERFORM cx_keep_hash(OLD.run_id, OLD.sequence, OLD.hash);
  RETURN NULL;
END
$body$;

-- name: cx_keep_lost
-- For live rows that vanished, unless into the archive.
CREATE OR REPLACE FUNCTION cx_keep_lost() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM events_archive
    WHERE run_id = OLD.run_id AND sequence = OLD.sequence AND hash = OLD.hash
  ) THEN
    PERFORM cx_keep_hash(OLD.run_id, OLD.sequence, OLD.hash);
  END IF;
  RETURN NULL;
END
$body$;

-- name: cx_keep_emptied
-- For a table that is about to be emptied at one blow, which fires no trigger for its rows.
CREATE OR REPLACE FUNCTION cx_keep_emptied() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  lost RECORD;
BEGIN
  FOR lost IN EXECUTE format('SELECT run_id, sequence, hash FROM %I', TG_TABLE_NAME) LOOP
    PERFORM cx_keep_hash(lost.run_id, lost.sequence, lost.hash);
    PERFORM cx_note_touch(lost.run_id, lost.sequence);
  END LOOP;
  RETURN NULL;
END
$body$;

-- name: cx_keep_updated
-- A live event was changed.
CREATE OR REPLACE TRIGGER cx_keep_updated AFTER UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION cx_keep_old();

-- name: cx_keep_deleted
-- A live event vanished.
CREATE OR REPLACE TRIGGER cx_keep_deleted AFTER DELETE ON events
FOR EACH ROW EXECUTE FUNCTION cx_keep_lost();

-- name: cx_keep_truncated
-- All live events vanish.
CREATE OR REPLACE TRIGGER cx_keep_truncated BEFORE TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION cx_keep_emptied();

-- name: cx_keep_archive_updated
-- An archived event was changed.
CREATE OR REPLACE TRIGGER cx_keep_archive_updated AFTER UPDATE ON events_archive
FOR EACH ROW EXECUTE FUNCTION cx_keep_old();

-- name: cx_keep_archive_deleted
-- An archived event vanished.
CREATE OR REPLACE TRIGGER cx_keep_archive_deleted AFTER DELETE ON events_archive
FOR EACH ROW EXECUTE FUNCTION cx_keep_old();

-- name: cx_keep_archive_truncated
-- All archived events vanish.
CREATE OR REPLACE TRIGGER cx_keep_archive_truncated BEFORE TRUNCATE ON events_archive
FOR EACH STATEMENT EXECUTE FUNCTION cx_keep_emptied();
