-- Marks that carry the clock of the store.

-- name: mark_stale
-- The summary lags, for a reason outside the run's own log.
SELECT cx_note_stale(:run_id);
