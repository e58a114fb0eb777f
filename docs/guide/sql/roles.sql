-- Roles for a store that several hosts share. Run it as the owner of the tables, in the schema
-- of the store, after `continuum init`, and again after an update of the program: every
-- statement may be repeated. People and programs log in with roles of their own and are members
-- of one of these:  CREATE ROLE claims_agent LOGIN PASSWORD '…' IN ROLE continuum_agent;

DO $$
DECLARE
  wanted TEXT;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['continuum_agent', 'continuum_console', 'continuum_reviewer'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
  END LOOP;
END
$$;

-- Nothing for everybody; what follows is all there is.
DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC', current_schema());
  EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM PUBLIC, continuum_agent, continuum_console, continuum_reviewer', current_schema());
  EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM PUBLIC', current_schema());
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO continuum_agent, continuum_console, continuum_reviewer', current_schema());
END
$$;

-- The triggers that keep head marks and first hashes work as the owner, so that nobody else
-- needs a right to what they write. Temporary tables are looked for last, or a program could
-- put one of its own in the way.
DO $$
DECLARE
  one REGPROCEDURE;
BEGIN
  FOR one IN
    SELECT oid::REGPROCEDURE FROM pg_proc
    WHERE pronamespace = current_schema()::REGNAMESPACE AND proname LIKE 'cx\_%'
  LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp', one, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', one);
  END LOOP;
END
$$;

-- Agents, and the servers that write for them: they add events, and change none.
-- The columns of `runs` are what closing a run sets; a lock on a run's row needs one of them.
GRANT SELECT ON
  runs, events, events_archive, versions, checkpoints, action_index, continuum_meta,
  cx_meta, cx_heads, cx_actions, cx_summaries, cx_items, cx_decisions, cx_callers, cx_caller_refusals,
  cx_touched, cx_verifications
TO continuum_agent;
GRANT INSERT ON runs, events, versions, checkpoints TO continuum_agent;
GRANT UPDATE (status, updated_at) ON runs TO continuum_agent;
GRANT INSERT, UPDATE ON action_index TO continuum_agent;
GRANT INSERT, UPDATE, DELETE ON cx_actions, cx_caller_refusals TO continuum_agent;
GRANT UPDATE (ledger_sequence) ON cx_heads TO continuum_agent;
GRANT UPDATE (last_seen_at, last_seen_version) ON cx_callers TO continuum_agent;
GRANT USAGE ON SEQUENCE action_index_ord_seq TO continuum_agent;

-- The console: reads everything, adds what people decide, and keeps its own lists. It cannot
-- change or remove an event, archive one, or forget the hash of one that was touched.
DO $$
BEGIN
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO continuum_console', current_schema());
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO continuum_reviewer', current_schema());
END
$$;
GRANT INSERT ON runs, events, versions, checkpoints TO continuum_console;
GRANT UPDATE (status, updated_at) ON runs TO continuum_console;
GRANT INSERT, UPDATE ON action_index TO continuum_console;
DO $$
DECLARE
  list TEXT;
BEGIN
  FOR list IN
    SELECT tablename FROM pg_tables
    WHERE schemaname = current_schema() AND tablename LIKE 'cx\_%' AND tablename NOT IN (
      'cx_meta', 'cx_heads', 'cx_touched', 'cx_decisions', 'cx_caller_entries', 'cx_verifications',
      'cx_attestations'
    )
  LOOP
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO continuum_console', list);
  END LOOP;
END
$$;
GRANT UPDATE ON cx_heads TO continuum_console;
GRANT INSERT ON cx_decisions, cx_caller_entries TO continuum_console;
GRANT INSERT, DELETE ON cx_verifications, cx_attestations TO continuum_console;
GRANT EXECUTE ON FUNCTION cx_note_stale(TEXT) TO continuum_console;
GRANT USAGE ON SEQUENCE action_index_ord_seq, cx_verifications_number_seq TO continuum_console;

-- Reviewers: they read, verify and export. No secret of a caller, not even its seal.
REVOKE SELECT ON cx_callers FROM continuum_reviewer;
GRANT SELECT (
  name, kind, enabled, tools, run_pattern, expires_at, confirm_override, note, version,
  entry_sequence, added_by, added_at, changed_at, last_seen_at, last_seen_version
) ON cx_callers TO continuum_reviewer;
