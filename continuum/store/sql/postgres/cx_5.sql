-- Our own tables, fifth version: what people noted on inbox items.

-- name: cx_notes_deleted
-- A run is gone; another one of its name starts without notes.
CREATE OR REPLACE FUNCTION cx_notes_deleted() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  DELETE FROM cx_notes WHERE run_id = OLD.run_id;
  RETURN NULL;
END
$body$;

-- name: drop_cx_notes_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_notes_deleted ON runs;

-- name: cx_notes_deleted_trigger
-- It does so for every client.
CREATE TRIGGER cx_notes_deleted AFTER DELETE ON runs
FOR EACH ROW EXECUTE FUNCTION cx_notes_deleted();
