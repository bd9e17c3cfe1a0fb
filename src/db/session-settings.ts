import pg from 'pg'

// `pg` writes a parameter as a local time with an offset in minutes, which lacks the seconds of old time zones.
pg.defaults.parseInputDatesAsUTC = true

/** A setting that every connection of Posthorn has, in any server, database and role. */
interface SessionSetting {
  readonly name: string
  readonly value: string
  /** A regular expression of Postgres for the values that serve as well and are kept. Default: only `value`. */
  readonly accepted?: string
}

type Queryable = Pick<pg.ClientBase, 'query'>

/**
 * What other applications and operators may have set for a server, a database or a role, and what would change the meaning
 * of statements. Costs and memory stay as they are set: they tune.
 */
export const SESSION_SETTINGS: readonly SessionSetting[] = [
  // Prisma's adapter writes and reads times without their zone.
  { name: 'TimeZone', value: 'UTC', accepted: '^(Etc/)?UTC$' },
  // `pg` and Prisma read only ISO times.
  { name: 'DateStyle', value: 'ISO, MDY', accepted: '^ISO' },
  { name: 'IntervalStyle', value: 'postgres' },
  // Lower values round numbers.
  { name: 'extra_float_digits', value: '1', accepted: '^[1-3]$' },
  { name: 'bytea_output', value: 'hex' },
  // Statements contain backslashes and quotes in their texts.
  { name: 'standard_conforming_strings', value: 'on' },
  // Statements name the schema of everything but what Postgres brings. In another schema of the path, a host could have a
  // function whose parameters match a call better than those of Postgres, and it would run with the rights of Posthorn.
  { name: 'search_path', value: 'pg_catalog, pg_temp' },
  // Statements that wait for a lock continue with what the other transaction committed.
  { name: 'default_transaction_isolation', value: 'read committed' },
  { name: 'default_transaction_read_only', value: 'off' },
  { name: 'row_security', value: 'on' },
  // With `off`, a crash of Postgres loses what was accepted. The other values differ in the standbys that they wait for.
  { name: 'synchronous_commit', value: 'on', accepted: '^(on|local|remote_write|remote_apply)$' },
  // An idle connection may wait for notifications for days.
  { name: 'idle_session_timeout', value: '0' },
  // Statements and the wait between them have limits, see below.
  { name: 'transaction_timeout', value: '0' },
  // Each statement is planned for the tables as they are: a kept plan that was made while a table was empty reads the whole
  // table in a loop once the table has rows, until the next vacuum.
  { name: 'plan_cache_mode', value: 'force_custom_plan' },
]

/** What the statements of a connection are for, which decides how long they may take. */
export type Purpose = keyof typeof TIME_LIMITS

/**
 * How long a statement may wait for each lock, how long it may run, and how long a transaction may wait for its next
 * statement. An error of Postgres ends what takes longer.
 */
export const TIME_LIMITS = {
  /** Somebody waits for the answer. */
  requests: timeLimits('2s', '10s', '30s'),
  /** Jobs of the worker, which are repeated. */
  jobs: timeLimits('10s', '5min', '1min'),
  /** Short statements about the process itself: heartbeats and `LISTEN`. */
  sessions: timeLimits('2s', '4s', '30s'),
  /** Migrations may build an index for hours; each limits its wait for locks itself. */
  migrations: timeLimits('0', '0', '0'),
} as const

function timeLimits(lock: string, statement: string, idleInTransaction: string) {
  return [
    { name: 'lock_timeout', value: lock },
    { name: 'statement_timeout', value: statement },
    { name: 'idle_in_transaction_session_timeout', value: idleInTransaction },
  ] satisfies SessionSetting[]
}

/**
 * Through a transaction pooler the limits are those of the role, any below a minute, and so is the search path: any in
 * which nothing comes before Postgres.
 */
const OF_ROLE: readonly SessionSetting[] = [
  ...TIME_LIMITS.requests
    .filter(({ name }) => name !== 'idle_in_transaction_session_timeout')
    .map((limit) => ({ ...limit, accepted: '^[1-9]\\d*m?s$' })),
  {
    name: 'search_path',
    value: 'pg_catalog, pg_temp',
    accepted: '^(pg_catalog\\M|(?!.*pg_catalog))',
  },
]

/**
 * Of these, a transaction pooler sees the changes and keeps the value for its client. Other settings of a connection
 * through it would be those of other programs, so Posthorn sets none.
 * https://www.pgbouncer.org/config.html#generic-settings
 */
const KEPT_BY_POOLERS = ['TimeZone', 'DateStyle', 'standard_conforming_strings']

/** Whether a connection has a session of its own or goes through a transaction pooler. */
export type ConnectionKind = 'direct' | 'pooled'

/** Sets on a new connection what differs. Settings that the server's version does not have are left out. */
export async function applySessionSettings(
  sql: Queryable,
  kind: ConnectionKind,
  purpose: Purpose,
): Promise<void> {
  const settings =
    kind === 'direct'
      ? [...SESSION_SETTINGS, ...TIME_LIMITS[purpose]]
      : SESSION_SETTINGS.filter(({ name }) => KEPT_BY_POOLERS.includes(name))
  await sql.query(
    `select pg_catalog.set_config(name, value, false) ${DIFFERING}`,
    parametersOf(settings),
  )
}

/** A setting of a connection that is not as Posthorn needs it. */
interface WrongSetting {
  readonly name: string
  readonly actual: string
  /** Gives the role the setting, on each of its new connections to the database. */
  readonly remedy: string
}

/** The settings of a connection through a transaction pooler that are not as its statements need them. */
export async function findWrongSettings(sql: Queryable): Promise<WrongSetting[]> {
  const ofRole = OF_ROLE.map(({ name }) => name)
  const settings = SESSION_SETTINGS.filter(
    ({ name }) => ![...ofRole, 'plan_cache_mode'].includes(name),
  )
  const { rows } = await sql.query<WrongSetting>(
    `select name, actual, format('alter role %I in database %I set %s = %s', current_user, current_database(), name,
       case when name in ('DateStyle', 'search_path') then value else quote_literal(value) end) as remedy
     ${DIFFERING} order by name`,
    parametersOf([...settings, ...OF_ROLE]),
  )
  return rows
}

/** One row per setting whose value is not accepted. A setting that the server does not have has no value. */
const DIFFERING = `
  from (
    select name, value, accepted, pg_catalog.current_setting(name, true) as actual
    from unnest($1::pg_catalog.text[], $2::pg_catalog.text[], $3::pg_catalog.text[])
      as setting (name, value, accepted)
  ) as setting
  where case accepted when '' then actual operator(pg_catalog.<>) value else actual operator(pg_catalog.!~) accepted end`

function parametersOf(settings: readonly SessionSetting[]): string[][] {
  return [
    settings.map(({ name }) => name),
    settings.map(({ value }) => value),
    settings.map(({ accepted }) => accepted ?? ''),
  ]
}
