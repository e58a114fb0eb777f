-- What was kept about changes of the log, about verifications, and what people did.

-- name: lost_hashes
-- Touched events whose first hash is not in its place any more. A hash belongs to one place, the
-- first it was kept for; others are where the row was moved to in between.
SELECT sequence, hash, at
FROM cx_touched AS touched
WHERE run_id = :run_id
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
ORDER BY sequence
LIMIT :limit;

-- name: touched
-- Touched events, healed or not.
SELECT sequence, hash, at
FROM cx_touched
WHERE run_id = :run_id
ORDER BY sequence
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
SELECT verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at, number
FROM cx_verifications
WHERE run_id = :run_id AND kind = 'run' AND outcome IN ('verified', 'broken')
ORDER BY number DESC
LIMIT 1;

-- name: newest_of_store
-- The last verification of the whole store.
SELECT verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at, number
FROM cx_verifications
WHERE run_id IS NULL AND kind = 'store' AND outcome IN ('verified', 'broken')
ORDER BY number DESC
LIMIT 1;

-- name: page
-- Kept verifications, newest first.
SELECT verification_id, run_id, kind, outcome, head_sequence, head_hash, row_digest, events, runs,
  broken_runs, bad_run_id, bad_sequence, bad_kind, detail, by_name, via, started_at, finished_at, number
FROM cx_verifications
WHERE number > 0
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

-- name: drop_verified
-- Healthy results of a run that a newer one of the same kind replaces.
DELETE FROM cx_verifications
WHERE run_id = :run_id AND kind = 'run' AND outcome = 'verified' AND detail = :detail;

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
