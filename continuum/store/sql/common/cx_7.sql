-- Our own tables, seventh version: runs found broken are few among kept verifications.

-- name: cx_verifications_broken
-- Whether any run was ever found broken, however many were verified.
CREATE INDEX IF NOT EXISTS cx_verifications_broken
ON cx_verifications (run_id)
WHERE kind = 'run' AND outcome = 'broken';
