-- Our own tables, fourth version: words to search by, and decisions that take two people.

-- name: cx_search
-- What can be found: a run, an action of it, or the text of one event. Filled behind the log.
-- ref: '' for a run, the ledger key of an action, the sequence of an event.
CREATE TABLE IF NOT EXISTS cx_search (
  number BIGSERIAL PRIMARY KEY,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  at TEXT NOT NULL,
  text TEXT NOT NULL,
  words TSVECTOR NOT NULL
);

-- name: cx_search_by_ref
-- The row of a thing.
CREATE UNIQUE INDEX IF NOT EXISTS cx_search_by_ref ON cx_search (run_id, kind, ref);

-- name: cx_search_words
-- Things by their words, which are folded and numbered before they come here.
CREATE INDEX IF NOT EXISTS cx_search_words ON cx_search USING gin (words);

-- name: cx_search_by_kind
-- Things of a kind, newest first.
CREATE INDEX IF NOT EXISTS cx_search_by_kind ON cx_search (kind, number);

-- name: cx_search_deleted
-- A run is gone; another one of its name is taken in from the start.
CREATE OR REPLACE FUNCTION cx_search_deleted() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
BEGIN
  DELETE FROM cx_search_runs WHERE run_id = OLD.run_id;
  RETURN NULL;
END
$body$;

-- name: drop_cx_search_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_search_deleted ON runs;

-- name: cx_search_deleted_trigger
-- It does so for every client.
CREATE TRIGGER cx_search_deleted AFTER DELETE ON runs
FOR EACH ROW EXECUTE FUNCTION cx_search_deleted();
