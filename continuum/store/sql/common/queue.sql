-- How the desk does: what is open, how long things took, who decided. Small tables and the last
-- days only.

-- name: open
-- Open things by kind and severity.
SELECT kind, severity, count(*), min(opened_at)
FROM cx_items
WHERE closed_at IS NULL
GROUP BY kind, severity
ORDER BY severity, kind;

-- name: closed
-- What left lately, newest first.
SELECT kind, opened_at, closed_at, closed_by
FROM cx_items
WHERE closed_at IS NOT NULL AND closed_at >= :since
ORDER BY closed_at DESC, item_id DESC
LIMIT :limit;

-- name: decisions
-- Decisions of the last days by verb and person.
SELECT decision.verb, decision.person, count(*), count(overturned.request_id)
FROM cx_decisions AS decision
LEFT JOIN cx_overturned AS overturned ON overturned.request_id = decision.request_id
WHERE decision.at >= :since
GROUP BY decision.verb, decision.person
ORDER BY decision.verb, decision.person;
