-- The store-wide action index.

-- name: clear
-- Before a repair.
DELETE FROM action_index;

-- name: rows
-- What the index says, to compare.
SELECT key, updated_seq, status FROM action_index;

-- name: foreign
-- The newest record under a key, if another run holds it.
SELECT run_id, action_json FROM action_index WHERE key = :key AND run_id <> :run_id;
