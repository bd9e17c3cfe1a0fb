import { readFileSync } from 'node:fs'
import pg from 'pg'
import { createTestDatabase } from '../../support/database.ts'
import { createTenant } from '../../support/factories.ts'
import { hostUrl } from '../../support/host-url.ts'

/** A database of a host application, with two organizations and the event types `order.*` and `line.*`. */
export async function createHostDatabase() {
  const database = await createTestDatabase()
  const { organizationId, publicOrganizationId } = await createTenant(database.prisma)
  const other = await createTenant(database.prisma)
  for (const noun of ['order', 'line']) {
    for (const operation of ['created', 'updated', 'deleted']) {
      const data = { name: `${noun}.${operation}`, description: 'A change.' }
      await database.prisma.eventType.create({ data })
    }
  }
  const session = new pg.Client({ connectionString: hostUrl(database.url) })
  await session.connect()
  // The user of the tests has the name of the schema of Posthorn.
  await session.query('set search_path = public')
  // Tests read a view, write backslashes, and compare printed names.
  await session.query(`set quote_all_identifiers = off; set standard_conforming_strings = on; set array_nulls = on; set lc_messages = 'C';
    select set_config(name, '', false) from pg_settings where name = 'restrict_nonsystem_relation_kind'`)
  let last = '00000000-0000-0000-0000-000000000000'

  /** The events that were published since the last call. */
  async function published() {
    const { rows } = await database.pool.query(
      'select id, type, data, previous from posthorn.events where id > $1 order by id',
      [last],
    )
    last = rows.at(-1)?.id ?? last
    // JSON.parse makes null of null.
    return rows.map(({ type, data, previous }) =>
      change(type, JSON.parse(data), JSON.parse(previous)),
    )
  }

  return {
    database,
    /** Of the host, with the settings of the server. */
    session,
    organization: publicOrganizationId,
    organizationUuid: organizationId,
    other: other.publicOrganizationId,
    published,
    /** Runs statements of the host, and returns the events that they published, in their order. */
    async changes(sql: string, values?: unknown[]) {
      await session.query(sql, values)
      return await published()
    },
    async [Symbol.asyncDispose]() {
      await session.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

export const PAGE = readFileSync(
  new URL('../../../docs/guides/publish.md', import.meta.url),
  'utf8',
)

/** The grants of the page for publishing the changes of a table, to another role. */
export function documentedGrants(role: string): string {
  const [, grants] =
    /```sql\n(grant usage [^\n]+\ngrant select on posthorn\.published_tables [\s\S]+?)```/.exec(
      PAGE,
    ) ?? []
  if (grants === undefined) throw new Error('docs/guides/publish.md has no grants.')
  return grants.replaceAll(/\byour_application\b/g, role)
}

const change = (type: string, data: unknown, previous: unknown = null) => ({ type, data, previous })

export const created = (data: unknown, noun = 'order') => change(`${noun}.created`, data)
export const updated = (previous: unknown, data: unknown, noun = 'order') =>
  change(`${noun}.updated`, data, previous)
export const deleted = (data: unknown, noun = 'order') => change(`${noun}.deleted`, data)
