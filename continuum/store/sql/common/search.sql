-- Finding things by their words and names, and taking them in.

-- name: doc
-- One thing.
SELECT run_id, kind, ref, sequence, type, at, text, number
FROM cx_search
WHERE run_id = :run_id AND kind = :kind AND ref = :ref;

-- name: names
-- Things of an exact name; runs that are gone have left theirs behind.
SELECT name, run_id, kind, ref
FROM cx_search_names
WHERE name = :wanted
  AND EXISTS (SELECT 1 FROM runs WHERE runs.run_id = cx_search_names.run_id)
ORDER BY run_id, kind, ref
LIMIT :limit;

-- name: event_places
-- Events of an id.
SELECT run_id, sequence FROM events WHERE event_id = :event_id
LIMIT 10;

-- name: behind
-- Runs to go on with.
SELECT run_id FROM cx_search_runs WHERE sequence < wanted ORDER BY run_id LIMIT :limit;

-- name: place
-- How far a run was taken in.
SELECT sequence, wanted FROM cx_search_runs WHERE run_id = :run_id;

-- name: rows
-- Events behind a place, ascending, archive included.
SELECT sequence, type, timestamp, payload, hash
FROM events
WHERE run_id = :run_id AND sequence > :after
UNION ALL
SELECT sequence, type, timestamp, payload, hash
FROM events_archive
WHERE run_id = :run_id AND sequence > :after
ORDER BY sequence
LIMIT :limit;

-- name: want
-- A run was judged at an event, so its log goes at least so far.
INSERT INTO cx_search_runs (run_id, sequence, wanted) VALUES (:run_id, -1, :sequence)
ON CONFLICT (run_id) DO UPDATE SET wanted = excluded.wanted
WHERE cx_search_runs.wanted < excluded.wanted;

-- name: save_place
-- A run was taken in so far.
INSERT INTO cx_search_runs (run_id, sequence, wanted) VALUES (:run_id, :sequence, :sequence)
ON CONFLICT (run_id) DO UPDATE SET
  sequence = excluded.sequence,
  wanted = CASE
    WHEN cx_search_runs.wanted < excluded.wanted THEN excluded.wanted
    ELSE cx_search_runs.wanted
  END;

-- name: drop_doc
-- A thing that is replaced.
DELETE FROM cx_search WHERE run_id = :run_id AND kind = :kind AND ref = :ref;

-- name: drop_docs
-- Everything of a run.
DELETE FROM cx_search WHERE run_id = :run_id;

-- name: drop_names
-- The names of a run's things.
DELETE FROM cx_search_names WHERE run_id = :run_id;

-- name: insert_name
-- A name; the same thing keeps it.
INSERT INTO cx_search_names (name, run_id, kind, ref) VALUES (:name, :run_id, :kind, :ref)
ON CONFLICT (name, run_id, kind, ref) DO NOTHING;

-- name: restart
-- Every run from its first event.
UPDATE cx_search_runs SET sequence = -1;
