-- Indexes of the shared tables; made after columns an older store lacks were added.

-- name: runs_parent
-- Children of a run.
CREATE INDEX IF NOT EXISTS runs_parent ON runs (parent_run_id);

-- name: events_by_type
-- Events of a type within a run.
CREATE INDEX IF NOT EXISTS events_by_type ON events (run_id, type);

-- name: checkpoints_by_run
-- Checkpoints of a run by version.
CREATE INDEX IF NOT EXISTS checkpoints_by_run ON checkpoints (run_id, version);

-- name: action_index_run
-- Index rows of a run.
CREATE INDEX IF NOT EXISTS action_index_run ON action_index (run_id);

-- name: lg_checkpoints_thread
-- Newest checkpoint of a thread.
CREATE INDEX IF NOT EXISTS lg_checkpoints_thread ON lg_checkpoints (thread_id, id DESC);
