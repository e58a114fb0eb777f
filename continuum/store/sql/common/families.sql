-- Members of families: who they are by their rows, how they stand as last judged. No statement
-- is asked once per run.

-- part: member
-- A member as its row and its last verdict say.
SELECT
  runs.run_id, runs.parent_run_id, COALESCE(s.goal, runs.goal), COALESCE(s.status, runs.status),
  COALESCE(s.mode, ''), COALESCE(s.safe, 0), COALESCE(s.open_actions, 0),
  CASE
    WHEN s.children > 0 THEN s.children
    WHEN EXISTS (SELECT 1 FROM runs AS below WHERE below.parent_run_id = runs.run_id) THEN 1
    ELSE 0
  END,
  COALESCE(s.blocked_children, 0),
  EXISTS (SELECT 1 FROM cx_items AS i WHERE i.run_id = runs.run_id AND i.closed_at IS NULL),
  runs.created_at, runs.metadata

-- name: members
-- Some runs.
--+ member
FROM runs
LEFT JOIN cx_summaries AS s ON s.run_id = runs.run_id
WHERE runs.run_id IN :wanted[];

-- name: level
-- Children of some runs, newest first, the first few of each.
--+ member
FROM json_each(:parents) AS parents  --? sqlite
FROM unnest(CAST(:parents AS TEXT[])) AS parents (run_id)  --? postgres
JOIN runs ON runs.run_id IN (
  SELECT child.run_id
  FROM runs AS child
  WHERE child.parent_run_id = parents.value  --? sqlite
  WHERE child.parent_run_id = parents.run_id  --? postgres
    AND (child.created_at, child.run_id) < (:created_at, :before_run_id)  --? created_at
    AND (  --? waiting
      EXISTS (  --? waiting
        SELECT 1 FROM cx_summaries AS w  --? waiting
        WHERE w.run_id = child.run_id AND w.blocked_children > 0  --? waiting
      )  --? waiting
      OR EXISTS (  --? waiting
        SELECT 1 FROM cx_items AS i  --? waiting
        WHERE i.run_id = child.run_id AND i.closed_at IS NULL  --? waiting
      )  --? waiting
    )  --? waiting
  ORDER BY child.created_at DESC, child.run_id DESC
  LIMIT :limit
)
LEFT JOIN cx_summaries AS s ON s.run_id = runs.run_id
ORDER BY runs.created_at DESC, runs.run_id DESC;

-- name: tallies
-- How the children of some runs stand.
SELECT
  parent_run_id, mode, status,
  CASE WHEN open_actions > 0 OR blocked_children > 0 THEN 1 ELSE 0 END AS troubled,
  count(*)
FROM cx_summaries
WHERE parent_run_id IN :parents[]
GROUP BY parent_run_id, mode, status, troubled;
