-- Words in a tsvector. They are numbered before they come here, so no parser cuts them again.

-- name: found
-- Things that hold every phrase, newest first.
SELECT doc.run_id, doc.kind, doc.ref, doc.sequence, doc.type, doc.at, doc.text, doc.number
FROM cx_search AS doc
JOIN runs ON runs.run_id = doc.run_id
WHERE doc.words @@ CAST(:asked AS tsquery)
  AND doc.kind = :kind
  AND doc.number < :before  --? before
ORDER BY doc.number DESC
LIMIT :limit;

-- name: insert_doc
-- A thing with its words.
INSERT INTO cx_search (run_id, kind, ref, sequence, type, at, text, words)
VALUES (:run_id, :kind, :ref, :sequence, :type, :at, :text, CAST(:words AS tsvector));

-- name: hold
-- One process takes in at a time; the number is any, and ours.
SELECT pg_advisory_xact_lock(727453084);
