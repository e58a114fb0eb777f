-- Our own tables, fifth version: what people noted on inbox items.

-- name: drop_cx_notes_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_notes_deleted;

-- name: cx_notes_deleted
-- A run is gone; another one of its name starts without notes.
CREATE TRIGGER cx_notes_deleted AFTER DELETE ON runs
BEGIN
  DELETE FROM cx_notes WHERE run_id = OLD.run_id;
END;
