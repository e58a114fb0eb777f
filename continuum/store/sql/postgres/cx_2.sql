-- Our own tables, second version: the allowlist of callers and its history.

-- name: cx_keep_caller_entries
-- Nothing in the history is changed by mistake; on purpose, verification shows it.
CREATE OR REPLACE FUNCTION cx_keep_caller_entries() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the history of callers is append-only';
END
$body$;

-- name: cx_caller_entries_kept
-- As above.
CREATE OR REPLACE TRIGGER cx_caller_entries_kept
BEFORE UPDATE OR DELETE ON cx_caller_entries
FOR EACH ROW EXECUTE FUNCTION cx_keep_caller_entries();
