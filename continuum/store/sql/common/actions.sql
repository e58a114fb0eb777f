-- Pages over the actions of all runs. The last row seen is the cursor.

-- name: holders
-- Who works on some items of the inbox.
SELECT item_id, claimed_by
FROM cx_items
WHERE item_id IN :wanted[]
  AND claimed_by IS NOT NULL
  AND closed_at IS NULL;
