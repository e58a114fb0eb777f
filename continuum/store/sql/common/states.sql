-- State versions and checkpoints.

-- name: newest_version
-- The newest version of a run.
SELECT run_id, version, fingerprint, prev_fingerprint, reason, created_at, state
FROM versions
WHERE run_id = :run_id
ORDER BY version DESC
LIMIT 1;

-- name: version
-- One version of a run.
SELECT run_id, version, fingerprint, prev_fingerprint, reason, created_at, state
FROM versions
WHERE run_id = :run_id AND version = :version;

-- name: insert_version
-- A new version.
INSERT INTO versions (
  run_id, version, fingerprint, prev_fingerprint, reason, created_at, state
) VALUES (
  :run_id, :version, :fingerprint, :prev_fingerprint, :reason, :created_at, :state
);

-- name: newest_checkpoint
-- The checkpoint to resume from.
SELECT body
FROM checkpoints
WHERE run_id = :run_id
ORDER BY version DESC, created_at DESC
LIMIT 1;

-- name: checkpoint_keys
-- All checkpoints of a run, oldest version first; bodies are read one at a time.
SELECT checkpoint_id
FROM checkpoints
WHERE run_id = :run_id
ORDER BY version, created_at, checkpoint_id;

-- name: checkpoint_body
-- One checkpoint.
SELECT body FROM checkpoints WHERE checkpoint_id = :checkpoint_id;

-- name: insert_checkpoint
-- A new checkpoint. The columns repeat what the body says.
INSERT INTO checkpoints (
  checkpoint_id, run_id, version, trigger, created_at, integrity_hash, body
) VALUES (
  :checkpoint_id, :run_id, :version, :trigger, :created_at, :integrity_hash, :body
);
