-- The allowlist where writers do not exclude each other.

-- name: hold
-- One change of the allowlist at a time; the number is any, and ours.
SELECT pg_advisory_xact_lock(727453082);
