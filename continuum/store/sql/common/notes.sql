-- What people noted on inbox items.

-- name: insert
-- One more.
INSERT INTO cx_notes (item_id, run_id, kind, author, via, at, subject, text)
VALUES (:item_id, :run_id, :kind, :author, :via, :at, :subject, :text);

-- name: page
-- Those on an item or on all items of a run, newest first.
SELECT number, item_id, run_id, kind, author, via, at, subject, text
FROM cx_notes
WHERE 1 = 1
  AND item_id = :item_id  --? item_id
  AND run_id = :run_id  --? run_id
ORDER BY number DESC
LIMIT :limit;
