-- Our own tables, fourth version: words to search by, and decisions that take two people.

-- name: cx_search
-- What can be found: a run, an action of it, or the text of one event. Filled behind the log.
-- ref: '' for a run, the ledger key of an action, the sequence of an event.
CREATE TABLE IF NOT EXISTS cx_search (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  at TEXT NOT NULL,
  text TEXT NOT NULL
);

-- name: cx_search_by_ref
-- The row of a thing.
CREATE UNIQUE INDEX IF NOT EXISTS cx_search_by_ref ON cx_search (run_id, kind, ref);

-- name: cx_search_words
-- The words of those rows, folded and separated by blanks; its row ids are their numbers.
CREATE VIRTUAL TABLE IF NOT EXISTS cx_search_words
USING fts5(kind, words, tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3');

-- name: drop_cx_search_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_search_deleted;

-- name: cx_search_deleted
-- A run is gone; another one of its name is taken in from the start.
CREATE TRIGGER cx_search_deleted AFTER DELETE ON runs
BEGIN
  DELETE FROM cx_search_runs WHERE run_id = OLD.run_id;
END;
