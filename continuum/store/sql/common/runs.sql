-- Rows of `runs`. Lists are newest first; the last row seen is the cursor.

-- name: by_id
-- One run.
SELECT run_id, goal, status, created_at, updated_at, metadata, parent_run_id
FROM runs
WHERE run_id = :run_id;

-- name: exists
-- Whether a run has a row.
SELECT 1 FROM runs WHERE run_id = :run_id;

-- name: page
-- One page of all runs, by creation.
SELECT run_id, goal, status, created_at, updated_at, metadata, parent_run_id
FROM runs
WHERE 1 = 1
  AND (created_at, run_id) < (:created_at, :before_run_id)  --? created_at
ORDER BY created_at DESC, run_id DESC
LIMIT :limit;

-- name: active
-- The run that is meant when none is named.
SELECT run_id, goal, status, created_at, updated_at, metadata, parent_run_id
FROM runs
WHERE status NOT IN ('completed', 'crashed', 'aborted', 'failed')
ORDER BY updated_at DESC, run_id DESC
LIMIT 1;

-- name: children
-- Direct children of a run.
SELECT run_id, goal, status, created_at, updated_at, metadata, parent_run_id
FROM runs
WHERE parent_run_id = :run_id
ORDER BY created_at DESC, run_id DESC;

-- name: insert
-- A new run.
INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata, parent_run_id)
VALUES (:run_id, :goal, :status, :created_at, :updated_at, :metadata, :parent_run_id);

-- name: set_status
-- What the row says about the run; the log stays the truth.
UPDATE runs SET status = :status, updated_at = :updated_at WHERE run_id = :run_id;
