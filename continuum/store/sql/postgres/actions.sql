-- Pages over the actions of all runs. The last row seen is the cursor.

-- name: open
-- Actions whose outcome nobody knows, longest open first.
SELECT a.run_id, a.key, a.action_id, a.action_type, a.status, a.external_id, a.attempts, a.moment,
  a.is_open, COALESCE(s.goal, '')
FROM cx_actions AS a
LEFT JOIN cx_summaries AS s ON s.run_id = a.run_id
WHERE a.is_open = 1
  AND a.status IN :statuses[]  --? statuses
  AND a.action_type = :action_type  --? action_type
  AND (a.run_id || ' ' || COALESCE(s.goal, '') || ' ' || a.action_type || ' ' || a.key)  --? pattern
    ILIKE :pattern ESCAPE '\'  --? pattern
  AND left(a.external_id, 500) LIKE :outside_pattern ESCAPE '\'  --? outside
  AND a.moment >= :since  --? since
  AND a.moment <= :until  --? until
  AND (a.moment, a.run_id, a.key) > (:moment, :run_id, :key)  --? moment
ORDER BY a.moment, a.run_id, a.key
LIMIT :limit;

-- name: settled
-- All others, newest first.
SELECT a.run_id, a.key, a.action_id, a.action_type, a.status, a.external_id, a.attempts, a.moment,
  a.is_open, COALESCE(s.goal, '')
FROM cx_actions AS a
LEFT JOIN cx_summaries AS s ON s.run_id = a.run_id
WHERE a.is_open = 0
  AND a.status IN :statuses[]  --? statuses
  AND a.action_type = :action_type  --? action_type
  AND (a.run_id || ' ' || COALESCE(s.goal, '') || ' ' || a.action_type || ' ' || a.key)  --? pattern
    ILIKE :pattern ESCAPE '\'  --? pattern
  AND left(a.external_id, 500) LIKE :outside_pattern ESCAPE '\'  --? outside
  AND a.moment >= :since  --? since
  AND a.moment <= :until  --? until
  AND (a.moment, a.run_id, a.key) < (:moment, :run_id, :key)  --? moment
ORDER BY a.moment DESC, a.run_id DESC, a.key DESC
LIMIT :limit;
