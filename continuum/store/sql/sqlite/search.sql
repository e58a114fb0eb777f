-- Words in FTS5. The row id there is the number here, which grows, so no sorting is needed.

-- name: found
-- Things that hold every phrase, newest first.
SELECT doc.run_id, doc.kind, doc.ref, doc.sequence, doc.type, doc.at, doc.text, doc.number
FROM cx_search_words
JOIN cx_search AS doc ON doc.number = cx_search_words.rowid
JOIN runs ON runs.run_id = doc.run_id
WHERE cx_search_words MATCH :asked
  AND cx_search_words.rowid < :before  --? before
ORDER BY cx_search_words.rowid DESC
LIMIT :limit;

-- name: insert_doc
-- A thing.
INSERT INTO cx_search (run_id, kind, ref, sequence, type, at, text)
VALUES (:run_id, :kind, :ref, :sequence, :type, :at, :text);

-- name: insert_words
-- Its words.
INSERT INTO cx_search_words (rowid, kind, words)
SELECT number, :kind, :words FROM cx_search
WHERE run_id = :run_id AND kind = :kind AND ref = :ref;

-- name: drop_words
-- The words of a thing that is replaced.
DELETE FROM cx_search_words WHERE rowid IN (
  SELECT number FROM cx_search WHERE run_id = :run_id AND kind = :kind AND ref = :ref
);

-- name: drop_all_words
-- The words of a run's things.
DELETE FROM cx_search_words WHERE rowid IN (
  SELECT number FROM cx_search WHERE run_id = :run_id
);
