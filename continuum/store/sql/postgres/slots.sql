-- The ledger: reads that filter by a list of values, and the lock on an identity.

-- name: hold_key
-- Let one transaction at a time claim a store-wide identity; released at its end.
SELECT pg_advisory_xact_lock(hashtextextended('continuum:' || :key, 0));
