-- Our own tables, ninth version: an append to a run that waits to be judged does less.

-- name: cx_note_append
-- An append, before the row goes in: the lock on the head row is taken first, so writers of a
-- run queue up here, whichever client they are. Mostly the run is to be judged already and the
-- row comes behind all others: then only the head moves, and is counted, in a statement without
-- a condition that the server would have to make ready each time. A row at or below the newest
-- sequence is no append: it replaced or filled in. Listeners hear of a run once until it is
-- judged again.
CREATE OR REPLACE FUNCTION cx_note_append() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
  moment BIGINT;
  first_news BOOLEAN;
BEGIN
  IF NEW.type NOT IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED') THEN
    UPDATE cx_heads
    SET sequence = NEW.sequence, hash = NEW.hash, revision = revision + 1
    WHERE run_id = NEW.run_id AND sequence < NEW.sequence AND COALESCE(stale_since, 0) > 0;
    IF FOUND THEN
      RETURN NEW;
    END IF;
  END IF;
  moment := CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT);
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

-- name: keep_right_of_owner
-- Where the file of roles had the functions work as the owner, the new one does so too.
DO $body$
DECLARE
  place TEXT := (
    SELECT relnamespace::REGNAMESPACE::TEXT FROM pg_class WHERE oid = to_regclass('cx_heads')
  );
BEGIN
  IF (SELECT prosecdef FROM pg_proc WHERE oid = to_regprocedure('cx_note_touch(text, integer)'))
  THEN
    EXECUTE format(
      'ALTER FUNCTION cx_note_append() SECURITY DEFINER SET search_path = %s, pg_temp', place
    );
  END IF;
END
$body$;
