import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { ignoreBrokenPipe } from '../support/broken-pipe.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { hostUrl } from '../support/host-url.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'

/* A host application publishes in its own transaction, with its own Postgres client. */
let database: Database
let organization: string

beforeAll(async () => {
  database = await createTestDatabase()
  const tenant = await createTenant(database.prisma)
  organization = tenant.publicOrganizationId
  await subscribe(database, tenant.organizationId, [JOINED])
  await database.pool.query('create table public.invoices (id int primary key)')
})
afterAll(async () => await database[Symbol.asyncDispose]())

const PUBLISHED = {
  event_id: expect.stringMatching(/^evt_/),
  delivery_count: 1,
  duplicate: false,
}

describe('psql', needs('psql'), () => {
  test('publishes events with an invoice', async () => {
    expect(
      await psql(`
        begin;
        insert into public.invoices values (1);
        select delivery_count, duplicate from posthorn.publish_events(:'organization',
          '[{"type": "${JOINED}", "data": {"invoice": 1}, "idempotencyKey": "invoice-1"}]');
        commit;`),
    ).toBe('1|f')
    expect(await publishedData()).toContain('{"invoice": 1}')
  })

  test('publishes one event', async () => {
    expect(
      await psql(`
        select delivery_count, duplicate from posthorn.publish_event(
          :'organization', '${JOINED}', '{"invoice": 2}', idempotency_key => 'invoice-2');`),
    ).toBe('1|f')
  })

  test('publishes rows of a table', async () => {
    expect(
      await psql(`
        select count(*), sum(delivery_count) from generate_series(1, 3) as invoice,
          posthorn.publish_event(:'organization', '${JOINED}', json_build_object('row', invoice));`),
    ).toBe('3|3')
  })

  test('reports invalid input', async () => {
    await expect(
      psql(`select posthorn.publish_event(:'organization', 'no.such_type', '{}');`),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining(
        '22023: type: "no.such_type" is not in the catalogue of event types. The event types are',
      ),
    })
  })
})

test('pg publishes in a transaction, and a rollback leaves nothing', async () => {
  const client = await database.pool.connect()
  const publishInvoice = (id: number) =>
    client.query('select * from posthorn.publish_events($1, $2)', [
      organization,
      JSON.stringify([{ type: JOINED, data: { invoice: id }, idempotencyKey: `invoice-${id}` }]),
    ])
  try {
    await client.query('begin')
    await client.query('insert into public.invoices values (3)')
    expect((await publishInvoice(3)).rows).toEqual([PUBLISHED])
    await client.query('commit')

    await client.query('begin')
    await publishInvoice(4)
    await client.query('rollback')
  } finally {
    client.release()
  }
  const published = await publishedData()
  expect(published).toContain('{"invoice":3}')
  expect(published).not.toContain('{"invoice":4}')
})

test('pg publishes one event with named arguments', async () => {
  const { rows } = await database.pool.query(
    'select * from posthorn.publish_event($1, $2, $3, idempotency_key => $4)',
    [organization, JOINED, JSON.stringify({ invoice: 5 }), 'invoice-5'],
  )
  expect(rows).toEqual([PUBLISHED])
})

describe('Prisma', () => {
  test('publishes in a transaction', async () => {
    const events = JSON.stringify([{ type: JOINED, data: { invoice: 6 } }])
    const published = await database.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`insert into public.invoices values (6)`
      return await tx.$queryRaw`select * from posthorn.publish_events(${organization}, ${events})`
    })
    expect(published).toEqual([PUBLISHED])
    expect(await publishedData()).toContain('{"invoice":6}')
  })

  test('publishes one event with named arguments', async () => {
    const data = JSON.stringify({ invoice: 7 })
    const published = await database.prisma.$queryRaw`
      select * from posthorn.publish_event(
        ${organization}, ${JOINED}, ${data}, idempotency_key => ${'invoice-7'}, occurred_at => ${new Date()})`
    expect(published).toEqual([PUBLISHED])
  })

  test('publishes an object as jsonb', async () => {
    const data = { invoice: 8 }
    const published = await database.prisma.$queryRaw`
      select * from posthorn.publish_event(${organization}, ${JOINED}, ${data}::jsonb)`
    expect(published).toEqual([PUBLISHED])
  })
})

test('a role that can only execute the function can publish, but read nothing', async () => {
  await database.pool.query(`
    drop role if exists posthorn_test_host;
    create role posthorn_test_host login password 'host';
    grant usage on schema posthorn to posthorn_test_host;
    grant execute on function posthorn.publish_events(text, text) to posthorn_test_host`)
  const url = new URL(database.url)
  url.username = 'posthorn_test_host'
  url.password = 'host'
  const host = new pg.Client({ connectionString: hostUrl(url.href) })
  await host.connect()
  try {
    const { rows } = await host.query('select * from posthorn.publish_events($1, $2)', [
      organization,
      JSON.stringify([{ type: JOINED, data: 1 }]),
    ])
    expect(rows).toEqual([PUBLISHED])
    for (const table of ['api_keys', 'events', 'deliveries']) {
      await expect(host.query(`select from posthorn.${table}`)).rejects.toMatchObject({
        code: '42501',
      })
    }
    await expect(
      host.query(`select posthorn.publish_event($1, $2, '{}')`, [organization, JOINED]),
    ).rejects.toMatchObject({ code: '42501' })
  } finally {
    await host.end()
    await database.pool.query('drop owned by posthorn_test_host; drop role posthorn_test_host')
  }
})

/** Runs a script, and returns its unaligned output without headers. */
async function psql(script: string): Promise<string> {
  const running = promisify(execFile)(programPath('psql'), [
    hostUrl(database.url),
    '--no-psqlrc',
    '--quiet',
    '--no-align',
    '--tuples-only',
    '--set=ON_ERROR_STOP=1',
    '--set=VERBOSITY=verbose',
    `--set=organization=${organization}`,
  ])
  running.child.stdin?.on('error', ignoreBrokenPipe).end(script)
  return (await running).stdout.trim()
}

async function publishedData(): Promise<string[]> {
  const { rows } = await database.pool.query<{ data: string }>('select data from posthorn.events')
  return rows.map(({ data }) => data)
}
