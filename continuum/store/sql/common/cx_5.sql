-- Our own tables, fifth version: what people noted on inbox items.

-- name: cx_notes
-- Comments on an item, and who took it, gave it to somebody, or gave it back. Only added to.
-- kind: `comment`, `claimed`, `assigned` or `released`. subject: whom it was given to.
CREATE TABLE IF NOT EXISTS cx_notes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  --? sqlite
  number BIGSERIAL PRIMARY KEY,  --? postgres
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
