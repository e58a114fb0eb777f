-- Reads that the back ends spell differently.

-- name: run_ids
-- All runs by code point.
SELECT run_id
FROM runs
WHERE run_id > :after
ORDER BY run_id
LIMIT :limit;
