-- Our own tables, first version. Triggers keep `cx_heads`, so that an append by any client
-- marks its run in the same transaction. Statements in triggers use no ON CONFLICT, since the
-- conflict policy of the outer statement would replace it, and no function younger than the
-- SQLite another client may run.

-- name: cx_meta
-- Facts about our own tables.
CREATE TABLE IF NOT EXISTS cx_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

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

-- name: cx_runs_by_creation
-- Pages of all runs.
CREATE INDEX IF NOT EXISTS cx_runs_by_creation ON runs (created_at, run_id);

-- name: cx_runs_active
-- The run that is meant when none is named.
CREATE INDEX IF NOT EXISTS cx_runs_active ON runs (updated_at, run_id)
WHERE status NOT IN ('completed', 'crashed', 'aborted', 'failed');

-- name: cx_summaries
-- The list row of every run, as last judged.
CREATE TABLE IF NOT EXISTS cx_summaries (
  run_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  mode TEXT NOT NULL,
  safe INTEGER NOT NULL,
  own_mode TEXT NOT NULL,
  severity INTEGER NOT NULL,
  status TEXT NOT NULL,
  goal TEXT NOT NULL,
  parent_run_id TEXT,
  created_at TEXT NOT NULL,
  last_event_at TEXT,
  last_event_type TEXT,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  total INTEGER,
  open_actions INTEGER NOT NULL,
  actions INTEGER NOT NULL,
  children INTEGER NOT NULL,
  blocked_children INTEGER NOT NULL,
  caller TEXT,
  reasons TEXT NOT NULL,
  oldest_open_at TEXT,
  valid_until TEXT,
  computed_at TEXT NOT NULL,
  snapshot TEXT NOT NULL
);

-- name: cx_summaries_by_creation
-- Pages of the runs list.
CREATE INDEX IF NOT EXISTS cx_summaries_by_creation ON cx_summaries (created_at, run_id);

-- name: cx_summaries_by_mode
-- The same, for one verdict.
CREATE INDEX IF NOT EXISTS cx_summaries_by_mode ON cx_summaries (mode, created_at, run_id);

-- name: cx_summaries_by_status
-- The same, for one status.
CREATE INDEX IF NOT EXISTS cx_summaries_by_status ON cx_summaries (status, created_at, run_id);

-- name: cx_summaries_by_parent
-- The same, for one family.
CREATE INDEX IF NOT EXISTS cx_summaries_by_parent
ON cx_summaries (parent_run_id, created_at, run_id)
WHERE parent_run_id IS NOT NULL;

-- name: cx_summaries_by_caller
-- The same, for one caller.
CREATE INDEX IF NOT EXISTS cx_summaries_by_caller ON cx_summaries (caller, created_at, run_id)
WHERE caller IS NOT NULL;

-- name: cx_summaries_by_expiry
-- Verdicts that change by time alone.
CREATE INDEX IF NOT EXISTS cx_summaries_by_expiry ON cx_summaries (valid_until)
WHERE valid_until IS NOT NULL;

-- name: cx_items
-- One row per thing that needs, or needed, a person.
CREATE TABLE IF NOT EXISTS cx_items (
  item_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  severity INTEGER NOT NULL,
  title TEXT NOT NULL,
  detail TEXT NOT NULL,
  goal TEXT NOT NULL,
  action_type TEXT,
  caller TEXT,
  parent_run_id TEXT,
  opened_at TEXT NOT NULL,
  opened_sequence INTEGER NOT NULL,
  claimed_by TEXT,
  claimed_at TEXT,
  closed_at TEXT,
  closed_by TEXT,
  closed_via TEXT,
  closed_sequence INTEGER
);

-- name: cx_items_open
-- The inbox, worst first.
CREATE INDEX IF NOT EXISTS cx_items_open ON cx_items (severity, opened_at, item_id)
WHERE closed_at IS NULL;

-- name: cx_items_open_by_run
-- What of a run is open.
CREATE INDEX IF NOT EXISTS cx_items_open_by_run ON cx_items (run_id) WHERE closed_at IS NULL;

-- name: cx_items_closed
-- What was closed, newest first.
CREATE INDEX IF NOT EXISTS cx_items_closed ON cx_items (closed_at, item_id)
WHERE closed_at IS NOT NULL;

-- name: cx_items_by_run
-- Everything there ever was about a run.
CREATE INDEX IF NOT EXISTS cx_items_by_run ON cx_items (run_id, closed_at);

-- name: cx_actions
-- The ledger of every run: the newest record of each key, and where the key first appeared.
-- signature: digest over the stems of its identity tokens, NULL when it has none.
CREATE TABLE IF NOT EXISTS cx_actions (
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,
  action_id TEXT NOT NULL,
  action_type TEXT NOT NULL,
  status TEXT NOT NULL,
  external_id TEXT,
  attempts INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  signature TEXT,
  record TEXT NOT NULL,
  PRIMARY KEY (run_id, key)
);

-- name: cx_actions_by_status
-- The unresolved ones of a run.
CREATE INDEX IF NOT EXISTS cx_actions_by_status ON cx_actions (run_id, status);

-- name: cx_actions_by_id
-- An action by its own id.
CREATE INDEX IF NOT EXISTS cx_actions_by_id ON cx_actions (action_id);

-- name: cx_actions_by_signature
-- Actions that may be the same thing spelled differently.
CREATE INDEX IF NOT EXISTS cx_actions_by_signature
ON cx_actions (run_id, action_type, signature)
WHERE signature IS NOT NULL;

-- name: cx_decisions
-- What people decided, once per request.
CREATE TABLE IF NOT EXISTS cx_decisions (
  request_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  person TEXT NOT NULL,
  via TEXT NOT NULL,
  at TEXT NOT NULL,
  seen_digest TEXT,
  sequence INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_hash TEXT NOT NULL
);

-- name: cx_decisions_by_run
-- Decisions on a run, in the order of their events.
CREATE INDEX IF NOT EXISTS cx_decisions_by_run ON cx_decisions (run_id, sequence);

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
