-- Reads of states that look into their JSON.

-- name: newest_version_cover
-- Which events the newest version covers. A state that is no JSON says nothing.
SELECT
  version,
  CASE WHEN json_valid(state) THEN json_extract(state, '$.source_sequence') ELSE '?' END
FROM versions
WHERE run_id = :run_id
ORDER BY version DESC
LIMIT 1;
