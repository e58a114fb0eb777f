-- What was kept about changes of the log, about verifications, and what people did.

-- part: human
-- Which events people caused, and settlements by anybody.
WHERE (source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED'))
  AND (timestamp, run_id, sequence) < (:moment, :place_run, :place)  --? place
  AND run_id = :run_id  --? run_id
  AND type IN :types[]  --? types
  AND timestamp >= :since  --? since
  AND timestamp < :until  --? until

-- part: lost
-- That a touched event has its first hash in its place no more. A hash belongs to one place, the
-- first it was kept for; others are where the row was moved to in between.
  AND NOT EXISTS (
    SELECT 1 FROM cx_touched AS earlier
    WHERE earlier.run_id = touched.run_id
      AND earlier.hash = touched.hash
      AND earlier.number < touched.number
  )
  AND NOT EXISTS (
    SELECT 1 FROM events
    WHERE events.run_id = touched.run_id
      AND events.sequence = touched.sequence
      AND events.hash = touched.hash
  )
  AND NOT EXISTS (
    SELECT 1 FROM events_archive
    WHERE events_archive.run_id = touched.run_id
      AND events_archive.sequence = touched.sequence
      AND events_archive.hash = touched.hash
  )

-- part: touched
-- The first touched places of several runs, and the rows that stand there.
SELECT
  touched.place AS place, touched.at, rows.run_id AS run_id, rows.sequence, rows.event_id,
  rows.type, rows.timestamp, rows.payload, rows.causer_event_id, rows.source, rows.prev_hash,
  rows.hash
FROM (
  SELECT
    run_id, sequence, at, row_number() OVER (PARTITION BY run_id ORDER BY sequence) AS place
  FROM cx_touched
  WHERE run_id IN :run_ids[]
) AS touched

-- part: kept
-- A kept verification.
SELECT
  verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at,
  number

-- name: lost_hashes
-- Touched events whose first hash is not in its place any more.
SELECT sequence, hash, at
FROM cx_touched AS touched
WHERE run_id = :run_id
--+ lost
ORDER BY sequence
LIMIT :limit;

-- name: touched
-- Touched events, healed or not.
SELECT sequence, hash, at
FROM cx_touched
WHERE run_id = :run_id
ORDER BY sequence
LIMIT :limit;

-- name: first_lost
-- Of each of several runs the first touched event whose first hash is not in its place any more;
-- see `lost_hashes`.
SELECT run_id, sequence, hash, at
FROM (
  SELECT
    run_id, sequence, hash, at,
    row_number() OVER (PARTITION BY run_id ORDER BY sequence) AS place
  FROM cx_touched AS touched
  WHERE run_id IN :run_ids[]
--+ lost
) AS lost
WHERE place = 1;

-- name: touched_rows
-- Of several runs the first touched events, as they stand now; the first of each run comes first.
--+ touched
JOIN events AS rows ON rows.run_id = touched.run_id AND rows.sequence = touched.sequence
WHERE touched.place <= :limit
UNION ALL
--+ touched
JOIN events_archive AS rows
  ON rows.run_id = touched.run_id AND rows.sequence = touched.sequence
WHERE touched.place <= :limit
ORDER BY place, run_id
LIMIT :limit;

-- name: runs_without_row
-- Runs whose events are or were here, and which are not.
SELECT run_id FROM cx_touched
UNION
SELECT run_id FROM events
UNION
SELECT run_id FROM events_archive
EXCEPT
SELECT run_id FROM runs
ORDER BY run_id
LIMIT :limit;

-- name: runs_without_row_or_audit
-- The same where nothing is kept about changes.
SELECT run_id FROM events
UNION
SELECT run_id FROM events_archive
EXCEPT
SELECT run_id FROM runs
ORDER BY run_id
LIMIT :limit;

-- name: newest
-- The last verification of a run.
--+ kept
FROM cx_verifications
WHERE run_id = :run_id AND kind = 'run' AND outcome IN ('verified', 'broken')
ORDER BY number DESC
LIMIT 1;

-- name: newest_of_store
-- The last verification of the whole store.
--+ kept
FROM cx_verifications
WHERE run_id IS NULL AND kind = 'store' AND outcome IN ('verified', 'broken')
ORDER BY number DESC
LIMIT 1;

-- name: page
-- Kept verifications, newest first.
--+ kept
FROM cx_verifications
WHERE outcome NOT IN ('running', 'stopping')
  AND run_id = :run_id  --? run_id
  AND number < :before  --? before
ORDER BY number DESC
LIMIT :limit;

-- name: save
-- A verification as it ended.
INSERT INTO cx_verifications (
  verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at
) VALUES (
  :verification_id, :run_id, :kind, :outcome, :head_sequence, :head_hash, :row_digest, :events,
  :runs, :broken_runs, :bad_run_id, :bad_sequence, :bad_kind, :detail, :by_name, :via,
  :started_at, :finished_at
);

-- name: open
-- A verification of a run, or of the whole store, that has not ended.
--+ kept
FROM cx_verifications
WHERE outcome IN ('running', 'stopping')
  AND kind IN :kinds[]
  AND run_id = :run_id  --? run_id
  AND run_id IS NULL  --? !run_id
ORDER BY number DESC
LIMIT 1;

-- name: drop_open
-- One that has not ended; it is kept anew with its progress, or has ended.
DELETE FROM cx_verifications
WHERE verification_id = :verification_id
  AND outcome IN ('running', 'stopping')  --? stopping
  AND outcome = 'running'  --? !stopping
;

-- name: longest_unchecked
-- Runs whose last verification ended before `until`, or never, or in a time that is still to come,
-- longest ago first.
SELECT run_id
FROM (
  SELECT run_id, checked_at
  FROM cx_heads
  WHERE checked_at < :until
  ORDER BY checked_at, run_id
  LIMIT :limit
) AS due
UNION ALL
SELECT run_id
FROM (
  SELECT run_id, checked_at
  FROM cx_heads
  WHERE checked_at > :now
  ORDER BY checked_at, run_id
  LIMIT :limit
) AS ahead
LIMIT :limit;

-- name: unmarked
-- Runs behind a place about which triggers know nothing; `longest_unchecked` misses them.
SELECT runs.run_id, heads.run_id
FROM (
  SELECT run_id FROM runs WHERE run_id > :after ORDER BY run_id LIMIT :limit
) AS runs
LEFT JOIN cx_heads AS heads ON heads.run_id = runs.run_id
ORDER BY runs.run_id;

-- name: note_checked
-- A verification of a chain ended.
UPDATE cx_heads SET checked_at = :finished_at WHERE run_id = :run_id;

-- name: chains
-- One page of all runs, newest first, or of some: the row, the last verification, what triggers
-- have noted,
-- the newest live event, and whether an event was ever changed. The page is cut before anything
-- is joined to it, so that no plan reads more than its rows.
SELECT
  page.run_id, page.goal, page.status, page.created_at, page.updated_at, page.metadata,
  page.parent_run_id,
  heads.sequence, heads.hash, heads.verified_sequence, heads.verified_hash, heads.verified_at,
  heads.touched_sequence, heads.touched_at, heads.revision,
  newest.verification_id, newest.run_id, newest.kind, newest.outcome, newest.head_sequence,
  newest.head_hash, newest.row_digest, newest.events, newest.runs, newest.broken_runs,
  newest.bad_run_id, newest.bad_sequence, newest.bad_kind, newest.detail, newest.by_name,
  newest.via, newest.started_at, newest.finished_at, newest.number,
  live.sequence, live.hash,
  (SELECT max(sequence) FROM events_archive WHERE events_archive.run_id = page.run_id),
  EXISTS (SELECT 1 FROM cx_touched WHERE cx_touched.run_id = page.run_id)
FROM (
  SELECT
    run_id, goal, status, created_at, updated_at, metadata, parent_run_id,
    (SELECT max(sequence) FROM events WHERE events.run_id = runs.run_id) AS live_sequence,
    (
      SELECT max(number) FROM cx_verifications
      WHERE cx_verifications.run_id = runs.run_id
        AND kind = 'run' AND outcome IN ('verified', 'broken')
    ) AS newest_number
  FROM runs
  WHERE 1 = 1
    AND (created_at, run_id) < (:created_at, :before_run_id)  --? created_at
    AND run_id IN :run_ids[]  --? run_ids
  ORDER BY created_at DESC, run_id DESC
  LIMIT :limit
) AS page
LEFT JOIN cx_heads AS heads ON heads.run_id = page.run_id
LEFT JOIN events AS live ON live.run_id = page.run_id AND live.sequence = page.live_sequence
LEFT JOIN cx_verifications AS newest ON newest.number = page.newest_number
ORDER BY page.created_at DESC, page.run_id DESC;

-- name: troubled
-- Runs that may be broken: an event was changed once, somebody found them broken, or the inbox
-- asks about their integrity.
SELECT run_id
FROM (
  SELECT run_id FROM cx_touched
  UNION
  SELECT run_id FROM cx_verifications WHERE kind = 'run' AND outcome = 'broken'
  UNION
  SELECT run_id FROM cx_items WHERE severity = 0 AND closed_at IS NULL
) AS suspects
WHERE EXISTS (SELECT 1 FROM runs WHERE runs.run_id = suspects.run_id)
  AND run_id > :after  --? after
ORDER BY run_id
LIMIT :limit;

-- name: drop_verified
-- Healthy results of a run that a newer one of the same kind replaces.
DELETE FROM cx_verifications
WHERE run_id = :run_id AND kind = 'run' AND outcome = 'verified' AND detail = :detail;

-- name: void_verified
-- A walk found the chain broken, so no earlier one counts.
UPDATE cx_heads
SET verified_sequence = 0, verified_hash = NULL, verified_at = NULL
WHERE run_id = :run_id;

-- name: is_stale
-- Since when the list row of a run lags; NULL when it does not.
SELECT stale_since FROM cx_heads WHERE run_id = :run_id;

-- name: shared_keys
-- Ledger keys that several runs hold: when each last acted, and whose record the index has.
SELECT actions.key, actions.run_id, newest.timestamp, index_row.run_id
FROM cx_actions AS actions
JOIN events AS newest
  ON newest.run_id = actions.run_id AND newest.sequence = actions.last_sequence
JOIN action_index AS index_row ON index_row.key = actions.key
WHERE actions.key IN (SELECT key FROM cx_actions GROUP BY key HAVING count(*) > 1);

-- name: set_parent
-- An imported run whose parent came after it.
UPDATE runs SET parent_run_id = :parent_run_id WHERE run_id = :run_id;

-- name: void_ledger
-- The rows of the ledger are made anew, from every ledger event there is.
UPDATE cx_heads
SET
  ledger_sequence = -1,
  action_sequence = COALESCE((
    SELECT max(sequence)
    FROM (
      SELECT sequence FROM events
      WHERE run_id = :run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
      UNION ALL
      SELECT sequence FROM events_archive
      WHERE run_id = :run_id
        AND type IN ('ACTION_RECORDED', 'ACTION_RECONCILED', 'ACTION_COMPENSATED')
    ) AS actions
  ), 0)
WHERE run_id = :run_id;

-- name: void_summary
-- The list row of a run is made anew.
DELETE FROM cx_summaries WHERE run_id = :run_id;

-- name: human
-- What people did, and settlements by anybody, newest first.
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 1 AS archived
FROM events_archive
--+ human
UNION ALL
SELECT run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash,
  hash, 0 AS archived
FROM events
--+ human
ORDER BY timestamp DESC, run_id DESC, sequence DESC
LIMIT :limit;
