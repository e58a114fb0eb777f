-- Marks that carry the clock of the store.

-- name: mark_stale
-- The summary lags, for a reason outside the run's own log.
UPDATE cx_heads
SET
  stale_since = COALESCE(stale_since, CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)),
  revision = revision + 1
WHERE run_id = :run_id;
