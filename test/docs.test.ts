import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../src/access/scope.ts'
import { createApiKey } from '../src/api-keys/api-key.ts'
import { startTestApp, type TestApp, testEnvironment } from './support/app.ts'
import { createTestDatabase } from './support/database.ts'
import { createTenant } from './support/factories.ts'
import { runPosthorn } from './support/posthorn-process.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [
  ...globSync('*.md', { cwd: ROOT }),
  ...globSync('docs/{*,operate/*}.md', { cwd: ROOT }),
]

const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8')

test.each(PAGES)('every link of %s to a local file or heading works', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(path.join(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('docs/security.md describes each scope', () => {
  const listed = [...read('docs/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})

test.each(['docs/job-dashboards.md', 'docs/operating.md', 'docs/operate/runbook.md'])(
  'the SQL of %s runs',
  async (page) => {
    await using database = await createTestDatabase()
    const blocks = sqlIn(read(page))
    expect(blocks.length).toBeGreaterThan(2)
    for (const sql of blocks) await database.pool.query(sql)
  },
)

test('the cores in docs/operate/sizing.md follow from the costs above them, rounded up', () => {
  const page = read('docs/operate/sizing.md')
  const cells = (row: RegExp) => (row.exec(page)?.[0] ?? '').split('|').map((cell) => cell.trim())
  const numbers = (row: RegExp) => cells(row).map((cell) => Number.parseFloat(cell) || 0)
  const [, , , api = 0, ofPublishing = 0] = numbers(/^\| publish, 100 .*$/m)
  const [, , worker = 0, , ofDelivering = 0] = numbers(/^\| deliver: .*$/m)
  const microseconds = [worker, api, ofPublishing + ofDelivering]
  expect(microseconds.every((cost) => cost > 0)).toBe(true)
  for (const [row, perSecond] of [
    [/^\| 10,000,000 .*$/m, 350],
    [/^\| 100,000,000 .*$/m, 3_500],
    [/^\| 1,000,000,000 .*$/m, 35_000],
  ] as const) {
    expect(cells(row)[3]).toBe(`${perSecond.toLocaleString('en')}/s`)
    for (const [i, cores] of numbers(row).slice(4, 7).entries()) {
      const needed = ((microseconds[i] ?? 0) * perSecond) / 1e6
      expect(cores).toBeGreaterThanOrEqual(needed)
      expect(cores).toBeLessThan(1.3 * needed)
    }
  }
})

describe('in the README', () => {
  let posthorn: TestApp
  let headers: Record<string, string>

  beforeAll(async () => {
    posthorn = await startTestApp()
    const { organizationId } = posthorn.tenant
    const { token } = await createApiKey(posthorn.database.prisma, {
      organizationId,
      scopes: SCOPES,
    })
    headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  })
  afterAll(async () => await posthorn[Symbol.asyncDispose]())

  const post = async (path: string, body: string) => {
    const response = await fetch(posthorn.app.url + path, { method: 'POST', headers, body })
    expect(response.ok, await response.clone().text()).toBe(true)
    // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
    return (await response.json()) as any
  }

  test('the first calls over HTTP publish an event, and register a webhook that gets none', async () => {
    const section = sectionOf('README.md', 'From a clone to a delivered webhook')
    const calls = [
      ...section.matchAll(/^curl http:\/\/127\.0\.0\.1:4000(\S+) .*\n.*\n {2}-d '(.*)'$/gm),
    ]
    const [published, webhook] = await Promise.all(
      calls.map(([, path = '', body = '']) => post(path, body)),
    )
    expect(published.data.publishEvent.publishedEvent.id).toMatch(/^evt_/)
    expect(webhook).toMatchObject({ id: expect.stringMatching(/^wh_/), enabled: false })
  })

  test('a new event type is added, published, and found by its search key', async () => {
    const section = sectionOf('README.md', 'Your event types')
    const queries = [...section.matchAll(/^```graphql\n(.*?)^```/gms)].map(([, query]) => query)
    expect(queries).toHaveLength(3)
    const run = async (i: number) =>
      (await post('/graphql', JSON.stringify({ query: queries[i] }))).data
    const data = await run(0)
    expect(data.createEventType).toEqual({ eventType: { name: 'order.paid' } })
    const publish = (json: string) =>
      runPosthorn(['publish', 'order.paid', json, '--json'], {
        environment: testEnvironment(posthorn.database.url),
      })
    const [, json = ''] = /^npx posthorn publish order\.paid '(.*)'$/m.exec(section) ?? []
    expect((await run(1)).updateEventType.eventType).toEqual({ searchKeys: ['$.order'] })
    const published = await publish(json)
    expect(published).toMatchObject({ code: 0, stderr: '' })
    expect(await publish('{"order": "9001"}')).toMatchObject({ code: 1 })
    expect((await run(2)).events.nodes).toMatchObject([{ id: JSON.parse(published.stdout).id }])
  })
})

test('an application can publish with the SQL and the privileges in the README', async () => {
  await using database = await createTestDatabase()
  const { publicOrganizationId } = await createTenant(database.prisma)
  const role = `your_application_${randomBytes(4).toString('hex')}`
  await database.pool.query(`
    create role ${role};
    create table public.tickets (id int primary key, issued_at timestamptz);
    insert into public.tickets values (9001);
    grant select, update on public.tickets to ${role}`)
  const section = sectionOf('README.md', 'Publishing inside your own transaction')
  const [change, several, trigger, grant] = sqlIn(section).map((sql) =>
    sql.replaceAll('org_…', publicOrganizationId).replaceAll('your_application', role),
  ) as [string, string, string, string]
  await database.pool.query(grant)
  const client = await database.pool.connect()
  try {
    await client.query(`set role ${role}`)
    for (const sql of [change, several]) await client.query(sql)
    const { rows } = await client.query('select issued_at is not null as issued from tickets')
    expect(rows).toEqual([{ issued: true }])
    await expect(client.query('select from posthorn.events')).rejects.toMatchObject({
      code: '42501',
    })
    expect(await database.prisma.event.count()).toBe(2)

    for (const type of ['text', 'json', 'jsonb']) {
      const call = [publicOrganizationId, 'event_attendee.ticket_success', '{"ticket": 1}']
      await client.query(`select posthorn.publish_event($1, $2, $3::${type})`, call)
      await client.query(`select posthorn.publish_events($1, $2::${type})`, [
        publicOrganizationId,
        JSON.stringify([{ type: call[1], data: { ticket: 2 } }]),
      ])
    }
    expect(await database.prisma.event.count()).toBe(8)

    await client.query('reset role')
    await client.query(`insert into tickets select generate_series(1, 100); ${trigger}`)
    await client.query(`set role ${role}`)
    await client.query('update tickets set issued_at = now() where id <= 100')
    await client.query('update tickets set issued_at = now() where id > 10000')
  } finally {
    client.release(true)
  }
  expect(await database.prisma.event.count()).toBe(108)
  await database.pool.query(`drop owned by ${role}; drop role ${role}`)
})

function sectionOf(page: string, heading: string): string {
  return read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

function sqlIn(text: string): string[] {
  return [...text.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = '']) => sql)
}

/** The links to local files and headings. */
function linksOf(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link))
}

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
