-- Our own tables, fifth version: what people noted on inbox items.

-- name: cx_notes
-- Comments on an item, and who took it, gave it to somebody, or gave it back. Only added to.
-- kind: `comment`, `claimed`, `assigned` or `released`. subject: whom it was given to.
CREATE TABLE IF NOT EXISTS cx_notes (
  number BIGSERIAL PRIMARY KEY,
  item_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  author TEXT NOT NULL,
  via TEXT NOT NULL,
  at TEXT NOT NULL,
  subject TEXT,
  text TEXT NOT NULL
);

-- name: cx_notes_by_item
-- Those on an item.
CREATE INDEX IF NOT EXISTS cx_notes_by_item ON cx_notes (item_id, number);

-- name: cx_notes_by_run
-- Those on all items of a run.
CREATE INDEX IF NOT EXISTS cx_notes_by_run ON cx_notes (run_id, number);

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
