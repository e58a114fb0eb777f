-- Our own tables, first version. Triggers keep `cx_heads`, so that an append by any client
-- marks its run in the same transaction. Statements in triggers use no ON CONFLICT, since the
-- conflict policy of the outer statement would replace it, and no function younger than the
-- SQLite another client may run.

-- name: cx_heads
-- One small row per run: what is known about its log.
-- sequence, hash: the newest event that was noted; live ones may follow it. It is noted when a
-- run becomes stale, is judged or verified, acts, or loses an event, so it is never below what
-- was verified, folded into a snapshot or put into the ledger.
-- stale_since: Unix seconds since when the summary lags, NULL when it does not.
-- ledger_sequence: cx_actions covers the ledger's events up to here; -1 when it is void.
CREATE TABLE IF NOT EXISTS cx_heads (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL DEFAULT 0,
  hash TEXT,
  revision INTEGER NOT NULL DEFAULT 0,
  stale_since INTEGER,
  verified_sequence INTEGER NOT NULL DEFAULT 0,
  verified_hash TEXT,
  verified_at TEXT,
  touched_sequence INTEGER,
  touched_at TEXT,
  action_sequence INTEGER NOT NULL DEFAULT 0,
  ledger_sequence INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- name: cx_heads_stale
-- Runs to judge again, longest waiting first.
CREATE INDEX IF NOT EXISTS cx_heads_stale ON cx_heads (stale_since, run_id)
WHERE stale_since IS NOT NULL;

-- name: drop_cx_events_insert
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_events_insert;

-- name: cx_events_insert
-- An append. Every client pays for it, so the usual case writes nothing: only the first event
-- after the run was judged marks it, and events of the ledger are noted. A row at or below the
-- newest one known is no append: it was replaced or filled in. Both statements are in one
-- trigger, because triggers have no order.
CREATE TRIGGER cx_events_insert AFTER INSERT ON events
BEGIN
  UPDATE cx_heads
  SET
    sequence = max(sequence, NEW.sequence),
    hash = CASE WHEN sequence < NEW.sequence THEN NEW.hash ELSE hash END,
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = CASE WHEN sequence < NEW.sequence THEN verified_sequence ELSE 0 END,
    touched_sequence = CASE
      WHEN sequence < NEW.sequence THEN touched_sequence
      ELSE min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence)
    END,
    touched_at = CASE
      WHEN sequence < NEW.sequence THEN touched_at
      ELSE strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
    END,
    ledger_sequence = CASE WHEN sequence < NEW.sequence THEN ledger_sequence ELSE -1 END
  WHERE run_id = NEW.run_id AND (stale_since IS NULL OR sequence >= NEW.sequence);
  UPDATE cx_heads
  SET
    action_sequence = max(action_sequence, NEW.sequence),
    sequence = max(sequence, NEW.sequence),
    hash = CASE WHEN sequence < NEW.sequence THEN NEW.hash ELSE hash END
  WHERE NEW.type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    AND run_id = NEW.run_id;
END;

-- name: drop_cx_events_update
-- As above.
DROP TRIGGER IF EXISTS cx_events_update;

-- name: cx_events_update
-- A live event was changed.
CREATE TRIGGER cx_events_update AFTER UPDATE ON events
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, OLD.sequence), OLD.sequence, NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (OLD.run_id, NEW.run_id);
END;

-- name: drop_cx_events_delete
-- As above.
DROP TRIGGER IF EXISTS cx_events_delete;

-- name: cx_events_delete
-- A live event vanished. A compaction leaves it in the archive; the other client writes its
-- payload in a spelling of its own there, so the chain must be walked once more, but that is
-- no touch.
CREATE TRIGGER cx_events_delete AFTER DELETE ON events
WHEN NOT EXISTS (
  SELECT 1
  FROM events_archive
  WHERE run_id = OLD.run_id
    AND sequence = OLD.sequence
    AND hash = OLD.hash
    AND event_id = OLD.event_id
    AND type = OLD.type
    AND timestamp = OLD.timestamp
    AND source = OLD.source
    AND causer_event_id IS OLD.causer_event_id
    AND prev_hash IS OLD.prev_hash
    AND payload = OLD.payload
)
BEGIN
  UPDATE cx_heads
  SET
    sequence = max(sequence, OLD.sequence),
    hash = CASE WHEN sequence < OLD.sequence THEN OLD.hash ELSE hash END,
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events_archive
        WHERE run_id = OLD.run_id
          AND sequence = OLD.sequence
          AND hash = OLD.hash
          AND event_id = OLD.event_id
          AND type = OLD.type
          AND timestamp = OLD.timestamp
          AND source = OLD.source
          AND causer_event_id IS OLD.causer_event_id
          AND prev_hash IS OLD.prev_hash
      ) THEN touched_sequence
      ELSE min(COALESCE(touched_sequence, OLD.sequence), OLD.sequence)
    END,
    touched_at = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events_archive
        WHERE run_id = OLD.run_id
          AND sequence = OLD.sequence
          AND hash = OLD.hash
          AND event_id = OLD.event_id
          AND type = OLD.type
          AND timestamp = OLD.timestamp
          AND source = OLD.source
          AND causer_event_id IS OLD.causer_event_id
          AND prev_hash IS OLD.prev_hash
      ) THEN touched_at
      ELSE strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
    END,
    ledger_sequence = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events_archive
        WHERE run_id = OLD.run_id
          AND sequence = OLD.sequence
          AND hash = OLD.hash
          AND event_id = OLD.event_id
          AND type = OLD.type
          AND timestamp = OLD.timestamp
          AND source = OLD.source
          AND causer_event_id IS OLD.causer_event_id
          AND prev_hash IS OLD.prev_hash
      ) THEN ledger_sequence
      ELSE -1
    END
  WHERE run_id = OLD.run_id;
END;

-- name: drop_cx_archive_insert
-- As above.
DROP TRIGGER IF EXISTS cx_archive_insert;

-- name: cx_archive_insert
-- A row came into the archive that no live row, or one of another spelling, stands behind.
CREATE TRIGGER cx_archive_insert AFTER INSERT ON events_archive
WHEN NOT EXISTS (
  SELECT 1
  FROM events
  WHERE run_id = NEW.run_id
    AND sequence = NEW.sequence
    AND hash = NEW.hash
    AND event_id = NEW.event_id
    AND type = NEW.type
    AND timestamp = NEW.timestamp
    AND source = NEW.source
    AND causer_event_id IS NEW.causer_event_id
    AND prev_hash IS NEW.prev_hash
    AND payload = NEW.payload
)
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events
        WHERE run_id = NEW.run_id
          AND sequence = NEW.sequence
          AND hash = NEW.hash
          AND event_id = NEW.event_id
          AND type = NEW.type
          AND timestamp = NEW.timestamp
          AND source = NEW.source
          AND causer_event_id IS NEW.causer_event_id
          AND prev_hash IS NEW.prev_hash
      ) THEN touched_sequence
      ELSE min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence)
    END,
    touched_at = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events
        WHERE run_id = NEW.run_id
          AND sequence = NEW.sequence
          AND hash = NEW.hash
          AND event_id = NEW.event_id
          AND type = NEW.type
          AND timestamp = NEW.timestamp
          AND source = NEW.source
          AND causer_event_id IS NEW.causer_event_id
          AND prev_hash IS NEW.prev_hash
      ) THEN touched_at
      ELSE strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
    END,
    ledger_sequence = CASE
      WHEN EXISTS (
        SELECT 1
        FROM events
        WHERE run_id = NEW.run_id
          AND sequence = NEW.sequence
          AND hash = NEW.hash
          AND event_id = NEW.event_id
          AND type = NEW.type
          AND timestamp = NEW.timestamp
          AND source = NEW.source
          AND causer_event_id IS NEW.causer_event_id
          AND prev_hash IS NEW.prev_hash
      ) THEN ledger_sequence
      ELSE -1
    END
  WHERE run_id = NEW.run_id;
END;

-- name: drop_cx_archive_update
-- As above.
DROP TRIGGER IF EXISTS cx_archive_update;

-- name: cx_archive_update
-- An archived event was changed.
CREATE TRIGGER cx_archive_update AFTER UPDATE ON events_archive
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, OLD.sequence), OLD.sequence, NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (OLD.run_id, NEW.run_id);
END;

-- name: drop_cx_archive_delete
-- As above.
DROP TRIGGER IF EXISTS cx_archive_delete;

-- name: cx_archive_delete
-- An archived event vanished.
CREATE TRIGGER cx_archive_delete AFTER DELETE ON events_archive
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, OLD.sequence), OLD.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id = OLD.run_id;
END;

-- name: drop_cx_runs_insert
-- As above.
DROP TRIGGER IF EXISTS cx_runs_insert;

-- name: cx_runs_insert
-- A new run, whose parent has one child more.
CREATE TRIGGER cx_runs_insert AFTER INSERT ON runs
BEGIN
  INSERT INTO cx_heads (run_id)
  SELECT NEW.run_id
  WHERE NOT EXISTS (SELECT 1 FROM cx_heads WHERE run_id = NEW.run_id);
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER))
  WHERE run_id IN (NEW.run_id, NEW.parent_run_id);
END;

-- name: drop_cx_runs_update
-- As above.
DROP TRIGGER IF EXISTS cx_runs_update;

-- name: cx_runs_update
-- A run's row changed.
CREATE TRIGGER cx_runs_update AFTER UPDATE ON runs
BEGIN
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER))
  WHERE run_id IN (NEW.run_id, NEW.parent_run_id, OLD.parent_run_id);
END;

-- name: drop_cx_runs_delete
-- As above.
DROP TRIGGER IF EXISTS cx_runs_delete;

-- name: cx_runs_delete
-- A run is gone. Decisions about it are kept.
CREATE TRIGGER cx_runs_delete AFTER DELETE ON runs
BEGIN
  DELETE FROM cx_heads WHERE run_id = OLD.run_id;
  DELETE FROM cx_summaries WHERE run_id = OLD.run_id;
  DELETE FROM cx_items WHERE run_id = OLD.run_id;
  DELETE FROM cx_actions WHERE run_id = OLD.run_id;
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER))
  WHERE run_id = OLD.parent_run_id;
END;

-- name: fill_heads
-- Runs that are there already: their heads, to be judged soon.
INSERT INTO cx_heads (run_id, sequence, hash, stale_since, action_sequence)
SELECT
  runs.run_id,
  COALESCE(head.sequence, 0),
  head.hash,
  CAST(strftime('%s', 'now') AS INTEGER),
  max(
    COALESCE((
      SELECT max(sequence) FROM events
      WHERE run_id = runs.run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    ), 0),
    COALESCE((
      SELECT max(sequence) FROM events_archive
      WHERE run_id = runs.run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    ), 0)
  )
FROM runs
LEFT JOIN events AS head
  ON head.run_id = runs.run_id
  AND head.sequence = (SELECT max(sequence) FROM events WHERE run_id = runs.run_id)
WHERE NOT EXISTS (SELECT 1 FROM cx_heads WHERE run_id = runs.run_id);
