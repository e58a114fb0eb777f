-- Pages over the actions of all runs. The last row seen is the cursor.

-- part: listed
-- What a row of the list shows, and of which actions.
SELECT a.run_id, a.key, a.action_id, a.action_type, a.status, a.external_id, a.attempts, a.moment,
  a.is_open, COALESCE(s.goal, '')
FROM cx_actions AS a INDEXED BY cx_actions_listed  --? sqlite !outside
FROM cx_actions AS a INDEXED BY cx_actions_by_external_id  --? sqlite outside
FROM cx_actions AS a  --? postgres
LEFT JOIN cx_summaries AS s ON s.run_id = a.run_id

-- part: narrowed
-- How the list is narrowed.
  AND a.status IN :statuses[]  --? statuses
  AND a.action_type = :action_type  --? action_type
  AND (a.run_id || ' ' || COALESCE(s.goal, '') || ' ' || a.action_type || ' ' || a.key)  --? pattern
    LIKE :pattern ESCAPE '\'  --? pattern sqlite
    ILIKE :pattern ESCAPE '\'  --? pattern postgres
  AND a.external_id >= :outside AND a.external_id < :outside_end  --? outside sqlite
  AND left(a.external_id, 500) LIKE :outside_pattern ESCAPE '\'  --? outside postgres
  AND a.moment >= :since  --? since
  AND a.moment <= :until  --? until

-- name: open
-- Actions whose outcome nobody knows, longest open first.
--+ listed
WHERE a.is_open = 1
--+ narrowed
  AND (a.moment, a.run_id, a.key) > (:moment, :run_id, :key)  --? moment
ORDER BY a.moment, a.run_id, a.key
LIMIT :limit;

-- name: settled
-- All others, newest first.
--+ listed
WHERE a.is_open = 0
--+ narrowed
  AND (a.moment, a.run_id, a.key) < (:moment, :run_id, :key)  --? moment
ORDER BY a.moment DESC, a.run_id DESC, a.key DESC
LIMIT :limit;

-- name: holders
-- Who works on some items of the inbox.
SELECT item_id, claimed_by
FROM cx_items
WHERE item_id IN :wanted[]
  AND claimed_by IS NOT NULL
  AND closed_at IS NULL;
