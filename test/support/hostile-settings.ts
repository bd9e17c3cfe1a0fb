import pg from 'pg'

/**
 * Values that another application, an operator or a provider may have set for a server, a database or a role, and that
 * change what statements mean, return or refuse. Posthorn works under all of them together.
 */
export const HOSTILE_SETTINGS: Readonly<Record<string, string>> = {
  // What texts mean, and how values are printed.
  TimeZone: 'America/St_Johns',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  escape_string_warning: 'off',
  xmlbinary: 'hex',
  xmloption: 'document',
  default_text_search_config: 'pg_catalog.german',
  // A schema of the application, and functions of the application before those of Postgres.
  search_path: 'hostile, pg_catalog, public',
  // What statements may do, and how long: also the first statement of a connection, which changes these limits, so they
  // are long enough for a busy machine.
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  row_security: 'off',
  synchronous_commit: 'off',
  statement_timeout: '30s',
  lock_timeout: '50ms',
  idle_in_transaction_session_timeout: '10s',
  idle_session_timeout: '20s',
  transaction_timeout: '40s',
  check_function_bodies: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** Besides, a host application may set these for its own sessions, from which it publishes. */
export const HOSTILE_FOR_A_HOST: Readonly<Record<string, string>> = {
  timezone_abbreviations: 'India',
  backslash_quote: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  restrict_nonsystem_relation_kind: 'view, "foreign-table"',
  gin_fuzzy_search_limit: '1',
  client_min_messages: 'debug1',
  'plpgsql.variable_conflict': 'use_variable',
  'plpgsql.extra_errors': 'all',
  enable_indexscan: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_nestloop: 'off',
  join_collapse_limit: '1',
}

/**
 * Sets the hostile values for a database, or for all databases of the server. A superuser runs it, on a server of any
 * version: settings that the version lacks are left out. Connections that open later have the values.
 */
export function hostileSettingsSql(
  database: string | null,
  settings: Readonly<Record<string, string>> = HOSTILE_SETTINGS,
): string {
  const target = database === null ? 'role all' : `database ${pg.escapeIdentifier(database)}`
  const pairs = Object.entries(settings).map(
    ([name, value]) => `(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)})`,
  )
  return `do $do$
    declare
      given record;
    begin
      for given in
        select * from (values ${pairs.join(', ')}) as given (name, value)
        where current_setting(name, true) is not null or name like 'plpgsql.%'
      loop
        execute format('alter %s set %s = %s', ${pg.escapeLiteral(target)}, given.name,
          case when given.name in (${LISTS.map((name) => pg.escapeLiteral(name)).join(', ')}) and given.value <> '' then given.value
            else quote_literal(given.value) end);
      end loop;
    end
  $do$`
}

/** Their elements are quoted one by one. */
const LISTS = ['DateStyle', 'search_path', 'restrict_nonsystem_relation_kind']
