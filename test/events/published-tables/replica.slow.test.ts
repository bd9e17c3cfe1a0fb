import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/client.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { createPostgres, type InstalledPostgres } from '../../deploy/installed-postgres.ts'
import { createTenant } from '../../support/factories.ts'
import { needs } from '../../support/left-out.ts'
import { useFolder } from '../../support/use-folder.ts'

const folder = await useFolder('replica')

/* On a server of the system's package, with the programs that a host uses. */
describe('a table that publishes', needs('pg_ctl'), () => {
  let postgres: InstalledPostgres
  let organization: string

  beforeAll(async () => {
    postgres = await createPostgres(folder)
    await postgres.start()
    organization = await prepare()
  })
  afterAll(async () => void (await postgres?.[Symbol.asyncDispose]()))

  test('publishes again after a dump was restored, and nothing during the restore', async () => {
    await query(
      'posthorn',
      `insert into orders select n, null, 'open' from generate_series(1, 2000) as n`,
    )
    await query('posthorn', `insert into orders values (0, '${organization}', 'open')`)
    await postgres.run('pg_dump -Fc -f dump posthorn')
    await postgres.run('createdb restored')
    await postgres.run('pg_restore --exit-on-error -d restored dump')
    expect(await countEvents('restored')).toBe(await countEvents('posthorn'))
    const tables = 'select * from posthorn.published_tables'
    expect(await query('restored', tables)).toEqual(await query('posthorn', tables))
    await query('restored', `update orders set status = 'paid'`)
    const last = 'select type, data, previous from posthorn.events order by id desc limit 1'
    const change = { data: '{"id":0,"status":"paid"}', previous: '{"id":0,"status":"open"}' }
    expect(await query('restored', last)).toEqual([{ type: 'order.updated', ...change }])
  })

  async function countEvents(database: string): Promise<number> {
    const [row] = await query(database, 'select count(*)::int as events from posthorn.events')
    return row.events
  }

  /** Migrates a database, creates a table that publishes, and returns the id of an organization. */
  async function prepare(): Promise<string> {
    await postgres.run('createdb posthorn')
    await using opened = openDatabase(postgres.urlOf('posthorn'))
    await migrate(opened.pool)
    const { publicOrganizationId } = await createTenant(opened.prisma)
    for (const operation of ['created', 'updated', 'deleted']) {
      const data = { name: `order.${operation}`, description: 'A change.' }
      await opened.prisma.eventType.create({ data })
    }
    await query(
      'posthorn',
      `create table public.orders (id int primary key, org text, status text);
       select posthorn.publish_changes('public.orders', 'org', '{id,status}', 'order')`,
    )
    return publicOrganizationId
  }

  // biome-ignore lint/suspicious/noExplicitAny: the rows depend on the statement.
  async function query(database: string, sql: string): Promise<any[]> {
    const client = new pg.Client({ connectionString: postgres.urlOf(database) })
    await client.connect()
    try {
      await client.query('set search_path = public')
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
})
