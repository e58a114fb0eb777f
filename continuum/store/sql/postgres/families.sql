-- Members of families, as last judged. No statement is asked once per run.

-- name: members
-- Some runs.
SELECT
  s.run_id, s.parent_run_id, s.goal, s.status, s.mode, s.safe, s.open_actions, s.children,
  s.blocked_children,
  EXISTS (SELECT 1 FROM cx_items AS i WHERE i.run_id = s.run_id AND i.closed_at IS NULL),
  s.created_at, COALESCE(runs.metadata, '{}')
FROM cx_summaries AS s
LEFT JOIN runs ON runs.run_id = s.run_id
WHERE s.run_id = ANY(:wanted);

-- name: level
-- Children of some runs, newest first, the first few of each.
SELECT
  s.run_id, s.parent_run_id, s.goal, s.status, s.mode, s.safe, s.open_actions, s.children,
  s.blocked_children,
  EXISTS (SELECT 1 FROM cx_items AS i WHERE i.run_id = s.run_id AND i.closed_at IS NULL),
  s.created_at, COALESCE(runs.metadata, '{}')
FROM unnest(CAST(:parents AS TEXT[])) AS parents (run_id)
JOIN cx_summaries AS s ON s.run_id IN (
  SELECT child.run_id
  FROM cx_summaries AS child
  WHERE child.parent_run_id = parents.run_id
    AND (child.created_at, child.run_id) < (:created_at, :before_run_id)  --? created_at
    AND (  --? waiting
      child.blocked_children > 0  --? waiting
      OR EXISTS (  --? waiting
        SELECT 1 FROM cx_items AS i  --? waiting
        WHERE i.run_id = child.run_id AND i.closed_at IS NULL  --? waiting
      )  --? waiting
    )  --? waiting
  ORDER BY child.created_at DESC, child.run_id DESC
  LIMIT :limit
)
LEFT JOIN runs ON runs.run_id = s.run_id
ORDER BY s.created_at DESC, s.run_id DESC;

-- name: tallies
-- How the children of some runs stand.
SELECT
  parent_run_id, mode, status,
  CASE WHEN open_actions > 0 OR blocked_children > 0 THEN 1 ELSE 0 END AS troubled,
  count(*)
FROM cx_summaries
WHERE parent_run_id = ANY(:parents)
GROUP BY parent_run_id, mode, status, troubled;
