-- The allowlist, its history, and whom the doors refused.

-- name: view
-- What one call needs: does the table decide, and the row of the name that calls, if any.
SELECT
  EXISTS (SELECT 1 FROM cx_callers WHERE enabled = 1) AS decides,
  caller.name, caller.kind, caller.enabled, caller.tools, caller.secret, caller.old_secret,
  caller.run_pattern, caller.expires_at, caller.confirm_override, caller.note, caller.version,
  caller.entry_sequence, caller.added_by, caller.added_at, caller.changed_at,
  caller.last_seen_at, caller.last_seen_version
FROM (SELECT 1 AS one) AS always
LEFT JOIN cx_callers AS caller ON caller.name = :caller;

-- name: page
-- Rows by name.
SELECT
  name, kind, enabled, tools, secret, old_secret, run_pattern, expires_at, confirm_override,
  note, version, entry_sequence, added_by, added_at, changed_at, last_seen_at, last_seen_version
FROM cx_callers
WHERE name > :after
ORDER BY name
LIMIT :limit;

-- name: save
-- A new row, or a changed one. When it was last seen is kept.
INSERT INTO cx_callers (
  name, kind, enabled, tools, secret, old_secret, run_pattern, expires_at, confirm_override,
  note, version, entry_sequence, added_by, added_at, changed_at, last_seen_at, last_seen_version
) VALUES (
  :name, :kind, :enabled, :tools, :secret, :old_secret, :run_pattern, :expires_at,
  :confirm_override, :note, :version, :entry_sequence, :added_by, :added_at, :changed_at,
  :last_seen_at, :last_seen_version
)
ON CONFLICT (name) DO UPDATE SET
  kind = excluded.kind,
  enabled = excluded.enabled,
  tools = excluded.tools,
  secret = excluded.secret,
  old_secret = excluded.old_secret,
  run_pattern = excluded.run_pattern,
  expires_at = excluded.expires_at,
  confirm_override = excluded.confirm_override,
  note = excluded.note,
  version = excluded.version,
  entry_sequence = excluded.entry_sequence,
  changed_at = excluded.changed_at;

-- name: mark_seen
-- When a caller was let in last, and what it said its version was.
UPDATE cx_callers SET last_seen_at = :at, last_seen_version = :version WHERE name = :name;

-- name: entries
-- The history from behind an entry, ascending.
SELECT entry_id, sequence, type, caller, timestamp, payload, prev_hash, hash
FROM cx_caller_entries
WHERE sequence > :after
ORDER BY sequence
LIMIT :chunk  --? chunk
;

-- name: entry_page
-- The history, newest first.
SELECT entry_id, sequence, type, caller, timestamp, payload, prev_hash, hash
FROM cx_caller_entries
WHERE 1 = 1
  AND caller = :caller  --? caller
  AND sequence < :before  --? before
ORDER BY sequence DESC
LIMIT :limit;

-- name: insert_entry
-- One more link.
INSERT INTO cx_caller_entries (
  sequence, entry_id, type, caller, timestamp, payload, prev_hash, hash
) VALUES (
  :sequence, :entry_id, :type, :caller, :timestamp, :payload, :prev_hash, :hash
);

-- name: refusals
-- Counts of refused calls, newest hour first.
SELECT caller, reason, hour, times, last_at, last_tool, last_via
FROM cx_caller_refusals
WHERE hour >= :since_hour
  AND caller = :caller  --? caller
ORDER BY hour DESC, caller, reason;

-- name: add_refusals
-- More of the same.
UPDATE cx_caller_refusals
SET times = times + :times, last_at = :last_at, last_tool = :last_tool, last_via = :last_via
WHERE caller = :caller AND reason = :reason AND hour = :hour;

-- name: drop_refusals
-- Hours that are long past.
DELETE FROM cx_caller_refusals WHERE hour < :keep_from;

-- name: is_crowded
-- True when there is no room to tell apart more names that are not in the table.
SELECT
  (SELECT count(*) FROM cx_caller_refusals) >= :most
  AND NOT EXISTS (SELECT 1 FROM cx_callers WHERE name = :caller);

-- name: insert_refusal
-- The first of its kind in this hour; another process may have been faster.
INSERT INTO cx_caller_refusals (caller, reason, hour, times, last_at, last_tool, last_via)
VALUES (:caller, :reason, :hour, :times, :last_at, :last_tool, :last_via)
ON CONFLICT (caller, reason, hour) DO UPDATE SET
  times = cx_caller_refusals.times + excluded.times,
  last_at = excluded.last_at,
  last_tool = excluded.last_tool,
  last_via = excluded.last_via;
