import { beforeAll, expect, test } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { JOINED } from '../support/factories.ts'
import { holdLock } from '../support/hold-lock.ts'
import { startInstallation } from '../support/installation.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/*
 * Postgres answers all the time: what fails waits for a lock of another session, or for a connection of Posthorn's own
 * pools. One process lives through all of it, and the last test reads its log.
 */

let webhookId: string

const installation = await useResource(startInstallation())

beforeAll(async () => {
  const { receiver } = installation
  const created = await rest('POST', '', { ...WEBHOOK, url: receiver.url, enabled: true })
  webhookId = created.body.id
  await publish(false)
  await receiver.arrival(1)
})

const WEBHOOK = { url: 'https://receiver.example', event_subscriptions: [JOINED] }
const LOCKED = 'Another session of the database has locked what the request needs'
const BUSY = 'Posthorn has too many requests in progress: all its connections to the database'

type Answer = Awaited<ReturnType<typeof call>>

async function call(method: string, path: string, body?: object, key?: string) {
  const response = await installation.call(method, path, body, key)
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: text === '' ? null : JSON.parse(text),
  }
}

const rest = (method: string, path: string, body?: object, key?: string) =>
  call(method, `/api/connect/v1/webhooks${path}`, body, key)
const graphql = (query: string) => call('POST', '/graphql', { query })

let published = 0

function publish(isKeyed: boolean): Promise<Answer> {
  published += 1
  const key = isKeyed ? `, idempotencyKey: "key-${published}"` : ''
  return graphql(
    `mutation { publishEvent(input: { type: "${JOINED}", data: {}${key} }) { ... on PublishEventSuccess { publishedEvent { duplicate } } } }`,
  )
}

const CALLS: Readonly<Record<string, () => Promise<Answer>>> = {
  'publish with a key': () => publish(true),
  'publish without a key': () => publish(false),
  'list webhooks': () => rest('GET', ''),
  'create a webhook': () => rest('POST', '', WEBHOOK),
  'change a webhook': () => rest('PUT', `/${webhookId}`, { description: `${Math.random()}` }),
  'query webhooks': () => graphql('{ webhooks { nodes { id health { attempts } } } }'),
  'query events': () => graphql('{ events { nodes { id } } }'),
  'query deliveries': () => graphql('{ deliveries { nodes { id attempts { nodes { id } } } } }'),
  'several changes in one request': () =>
    graphql(
      `mutation { ${Array.from({ length: 10 }, (_, i) => `m${i}: createWebhook(input: { url: "https://receiver.example", eventSubscriptions: ["${JOINED}"] }) { __typename }`).join(' ')} }`,
    ),
}

/** At the start, for the receiver of the tests. */
const ALLOWED = 'deliveries may reach these address ranges, public or not'

const lock = (statement: string) => holdLock(installation.database.pool, statement)

const table = (name: string) => `lock table ${name} in access exclusive mode`

const count = (name: string) => countRows(installation.database.pool, `posthorn.${name}`)

/** The answers that changed something. */
const done = (answers: readonly Answer[]) =>
  answers.filter(({ status, body }) => status < 300 && !body?.errors).length

/** No answer is a fault, and each failure has the true cause. */
function expectTrue({ status, retryAfter, body }: Answer): void {
  const text = JSON.stringify(body)
  expect(text).not.toMatch(/unreachable|INTERNAL|internal/)
  if (status < 300 && !body?.errors) return
  if (/Another scan/.test(text)) return
  expect({ status, text }).toMatchObject({ status: 503 })
  expect(Number(retryAfter)).toBeGreaterThan(0)
  expect(text).toMatch(new RegExp(`${LOCKED}|${BUSY}`))
}

test.each([
  ['webhooks', table('posthorn.webhooks'), ['list webhooks', 'create a webhook']],
  ['API keys', table('posthorn.api_keys'), Object.keys(CALLS)],
  ['events', table('posthorn.events'), ['publish with a key', 'publish without a key']],
  ['deliveries', table('posthorn.deliveries'), ['publish without a key', 'query deliveries']],
  ['the organization', 'select from posthorn.organizations for update', ['publish with a key']],
  ['the row of the webhook', 'select from posthorn.webhooks for update', ['change a webhook']],
])(
  'while another session locks %s, every call ends with the cause, and nothing is half done',
  async (_what, statement, blocked) => {
    const before = { webhooks: await count('webhooks'), events: await count('events') }
    const answers = new Map<string, Answer>()
    {
      // All of them end while the lock is held.
      await using _lock = await lock(statement)
      expect((await call('GET', '/readyz')).status).toBe(200)
      const calls = Object.entries(CALLS)
      await Promise.all(calls.map(async ([name, run]) => answers.set(name, await run())))
    }
    for (const answer of answers.values()) expectTrue(answer)
    for (const name of blocked) expect(answers.get(name)?.status).toBe(503)
    const several = answers.get('several changes in one request')?.body?.data ?? {}
    const created = Object.values(several).filter((changed) => changed !== null).length
    const doneOf = (...names: string[]) => done(names.flatMap((name) => answers.get(name) ?? []))
    expect(await count('webhooks')).toBe(before.webhooks + created + doneOf('create a webhook'))
    const accepted = doneOf('publish with a key', 'publish without a key')
    expect(await count('events')).toBe(before.events + accepted)
  },
)

test('locks on the row of the organization that are no `for update` stop none of its publishing', async () => {
  await using _lock = await lock('select from posthorn.organizations for no key update')
  const answers = await Promise.all([publish(true), publish(false)])
  expect(done(answers)).toBe(2)
})

test('more requests than connections, all of which wait for a lock, get 503 with the cause', async () => {
  await using _lock = await lock(table('posthorn.webhooks'))
  const isExhausted = () =>
    logLines(installation.posthorn).some(({ event }) => event === 'pool.exhausted')
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => rest('GET', '')))
    for (const answer of answers) expectTrue(answer)
    return isExhausted()
  }, 'the log says that a pool is exhausted')
})

test('what was accepted during the locks arrives, and a replaced runner and a stop are no outage', async () => {
  await installation.database.pool.query('delete from posthorn.workers')
  await logLine(installation.posthorn, { event: 'runner.replaced' }, 20_000)
  await until(async () => (await runnerConnections()) === 1, 'the old runner is gone', 20_000)
  await until(async () => (await pending()) === 0, 'everything is delivered', 60_000)
  installation.posthorn.child.kill('SIGTERM')
  expect(await installation.posthorn.ended).toBe(0)
})

const pending = () =>
  countRows(
    installation.database.pool,
    `posthorn.deliveries as d join posthorn.webhooks as w on w.id = d.webhook_id
     where d.state = 'pending' and w.url = $1`,
    [installation.receiver.url],
  )

const runnerConnections = () =>
  countRows(
    installation.database.pool,
    `(select distinct application_name from pg_stat_activity
      where application_name like 'posthorn-runner-%' and datname = current_database()) as runner`,
  )

test('each line of the log is true: it names locks and busy pools, and never an outage', () => {
  const lines = logLines(installation.posthorn).filter(({ event }) => event !== 'request.finished')
  expect(JSON.stringify(lines)).not.toMatch(/unavailable|unreachable/i)
  const warnings = lines.filter(({ level }) => !['debug', 'info'].includes(level))
  const events = new Set(warnings.map(({ event, msg }) => event ?? msg))
  expect(events).toContain('postgres.contention')
  expect(events).toContain('pool.exhausted')
  expect(events).toContain('runner.replaced')
  const known = ['postgres.contention', 'pool.exhausted', 'runner.replaced', ALLOWED]
  expect([...events].filter((event) => !known.includes(event))).toEqual([])
})
