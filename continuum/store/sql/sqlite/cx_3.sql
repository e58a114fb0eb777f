-- Our own tables, third version: what keeps the first hash of touched rows. Replacing a row
-- (INSERT or UPDATE OR REPLACE) fires no trigger for the row that vanishes, so it is looked for
-- before. As in the first version, no ON CONFLICT and no young function in triggers.

-- name: drop_cx_keep_updated
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_updated;

-- name: cx_keep_updated
-- A live event was changed.
CREATE TRIGGER cx_keep_updated AFTER UPDATE ON events
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT OLD.run_id, OLD.sequence, OLD.hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  WHERE NOT EXISTS (
    SELECT 1 FROM cx_touched WHERE run_id = OLD.run_id AND sequence = OLD.sequence
  );
END;

-- name: drop_cx_keep_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_deleted;

-- name: cx_keep_deleted
-- A live event vanished, and not into the archive.
CREATE TRIGGER cx_keep_deleted AFTER DELETE ON events
WHEN NOT EXISTS (
  SELECT 1 FROM events_archive
  WHERE run_id = OLD.run_id AND sequence = OLD.sequence AND hash = OLD.hash
)
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT OLD.run_id, OLD.sequence, OLD.hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  WHERE NOT EXISTS (
    SELECT 1 FROM cx_touched WHERE run_id = OLD.run_id AND sequence = OLD.sequence
  );
END;

-- name: drop_cx_keep_replaced
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_replaced;

-- name: cx_keep_replaced
-- An insert that would replace a live event, by its place or by its id.
CREATE TRIGGER cx_keep_replaced BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE run_id = NEW.run_id AND sequence = NEW.sequence)
  OR EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id)
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT run_id, sequence, hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  FROM events AS known
  WHERE ((known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
    OR known.event_id = NEW.event_id
  )
    AND NOT EXISTS (
      SELECT 1 FROM cx_touched
      WHERE cx_touched.run_id = known.run_id AND cx_touched.sequence = known.sequence
    );
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (
    SELECT known.run_id
    FROM events AS known
    WHERE ((known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
    OR known.event_id = NEW.event_id
  )
  );
END;

-- name: drop_cx_keep_moved_over
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_moved_over;

-- name: cx_keep_moved_over
-- An update that would replace another live event.
CREATE TRIGGER cx_keep_moved_over BEFORE UPDATE OF run_id, sequence, event_id ON events
WHEN EXISTS (
    SELECT 1 FROM events
    WHERE run_id = NEW.run_id AND sequence = NEW.sequence AND rowid <> OLD.rowid
  )
  OR EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id AND rowid <> OLD.rowid)
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT run_id, sequence, hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  FROM events AS known
  WHERE ((known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
    OR known.event_id = NEW.event_id
  ) AND known.rowid <> OLD.rowid
    AND NOT EXISTS (
      SELECT 1 FROM cx_touched
      WHERE cx_touched.run_id = known.run_id AND cx_touched.sequence = known.sequence
    );
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (
    SELECT known.run_id
    FROM events AS known
    WHERE ((known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
    OR known.event_id = NEW.event_id
  ) AND known.rowid <> OLD.rowid
  );
END;

-- name: drop_cx_keep_archive_updated
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_archive_updated;

-- name: cx_keep_archive_updated
-- An archived event was changed.
CREATE TRIGGER cx_keep_archive_updated AFTER UPDATE ON events_archive
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT OLD.run_id, OLD.sequence, OLD.hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  WHERE NOT EXISTS (
    SELECT 1 FROM cx_touched WHERE run_id = OLD.run_id AND sequence = OLD.sequence
  );
END;

-- name: drop_cx_keep_archive_deleted
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_archive_deleted;

-- name: cx_keep_archive_deleted
-- An archived event vanished.
CREATE TRIGGER cx_keep_archive_deleted AFTER DELETE ON events_archive
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT OLD.run_id, OLD.sequence, OLD.hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  WHERE NOT EXISTS (
    SELECT 1 FROM cx_touched WHERE run_id = OLD.run_id AND sequence = OLD.sequence
  );
END;

-- name: drop_cx_keep_archive_replaced
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_archive_replaced;

-- name: cx_keep_archive_replaced
-- An insert that would replace an archived event.
CREATE TRIGGER cx_keep_archive_replaced BEFORE INSERT ON events_archive
WHEN EXISTS (SELECT 1 FROM events_archive WHERE run_id = NEW.run_id AND sequence = NEW.sequence)
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT run_id, sequence, hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  FROM events_archive AS known
  WHERE (known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
    AND NOT EXISTS (
      SELECT 1 FROM cx_touched
      WHERE cx_touched.run_id = known.run_id AND cx_touched.sequence = known.sequence
    );
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (
    SELECT known.run_id
    FROM events_archive AS known
    WHERE (known.run_id = NEW.run_id AND known.sequence = NEW.sequence)
  );
END;

-- name: drop_cx_keep_archive_moved_over
-- A trigger left over from tables that were dropped by hand.
DROP TRIGGER IF EXISTS cx_keep_archive_moved_over;

-- name: cx_keep_archive_moved_over
-- An update that would replace another archived event.
CREATE TRIGGER cx_keep_archive_moved_over BEFORE UPDATE OF run_id, sequence ON events_archive
WHEN EXISTS (
    SELECT 1 FROM events_archive
    WHERE run_id = NEW.run_id AND sequence = NEW.sequence AND rowid <> OLD.rowid
  )
BEGIN
  INSERT INTO cx_touched (run_id, sequence, hash, at)
  SELECT run_id, sequence, hash, strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
  FROM events_archive AS known
  WHERE (known.run_id = NEW.run_id AND known.sequence = NEW.sequence) AND known.rowid <> OLD.rowid
    AND NOT EXISTS (
      SELECT 1 FROM cx_touched
      WHERE cx_touched.run_id = known.run_id AND cx_touched.sequence = known.sequence
    );
  UPDATE cx_heads
  SET
    revision = revision + 1,
    stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
    verified_sequence = 0,
    touched_sequence = min(COALESCE(touched_sequence, NEW.sequence), NEW.sequence),
    touched_at = strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'),
    ledger_sequence = -1
  WHERE run_id IN (
    SELECT known.run_id
    FROM events_archive AS known
    WHERE known.run_id = NEW.run_id
      AND known.sequence = NEW.sequence
      AND known.rowid <> OLD.rowid
  );
END;
