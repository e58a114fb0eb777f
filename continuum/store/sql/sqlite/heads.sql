-- Marks that carry the clock of the store.

-- name: mark_stale
-- The summary lags, for a reason outside the run's own log.
UPDATE cx_heads
SET
  stale_since = COALESCE(stale_since, CAST(strftime('%s', 'now') AS INTEGER)),
  revision = revision + 1
WHERE run_id = :run_id;
