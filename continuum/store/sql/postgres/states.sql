-- Reads of states that look into their JSON.

-- name: newest_version_cover
-- Which events the newest version covers.
SELECT version, CAST(state AS json) ->> 'source_sequence'
FROM versions
WHERE run_id = :run_id
ORDER BY version DESC
LIMIT 1;
