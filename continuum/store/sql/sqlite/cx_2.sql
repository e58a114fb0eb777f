-- Our own tables, second version: the allowlist of callers and its history.

-- name: cx_caller_entries_update
-- Nothing in the history is changed by mistake; on purpose, verification shows it.
CREATE TRIGGER IF NOT EXISTS cx_caller_entries_update BEFORE UPDATE ON cx_caller_entries
BEGIN
  SELECT RAISE(ABORT, 'the history of callers is append-only');
END;

-- name: cx_caller_entries_delete
-- As above.
CREATE TRIGGER IF NOT EXISTS cx_caller_entries_delete BEFORE DELETE ON cx_caller_entries
BEGIN
  SELECT RAISE(ABORT, 'the history of callers is append-only');
END;
