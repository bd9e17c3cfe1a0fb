import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, type TestOptions, test } from 'vitest'
import { call, untilDelivery } from '../console/support/call.ts'
import { JOINED } from '../support/factories.ts'
import { hostUrl } from '../support/host-url.ts'
import { type HostilePosthorn, startHostilePosthorn } from '../support/hostile-posthorn.ts'
import { findProgram } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { logLines } from '../support/log-lines.ts'
import { until } from '../support/until.ts'

/*
 * One story on servers that somebody else configured, through the real program in a time zone of its own. `npm run
 * test:matrix` runs all tests of the server on every version.
 */
const SERVERS: readonly [name: string, version: string, needed: TestOptions][] = [
  ['the PostgreSQL of the embedded mode', '18', {}],
  ['the PostgreSQL that is installed', path.dirname(findProgram('pg_ctl') ?? ''), needs('pg_ctl')],
]

// The servers are tested side by side, and each one step by step.
describe.each(SERVERS)('on %s', { concurrent: true }, (_name, version, needed) => {
  describe('Posthorn', { ...needed, concurrent: false }, () => tellStory(version))
})

function tellStory(version: string): void {
  let posthorn: HostilePosthorn
  let webhookId: string

  beforeAll(async () => {
    posthorn = await startHostilePosthorn(version)
  })
  afterAll(async () => await posthorn?.[Symbol.asyncDispose]())

  test('the server is ready, and finds nothing to warn about', async () => {
    expect((await fetch(`${posthorn.url}/readyz`)).status).toBe(200)
    const warnings = logLines(posthorn.log).filter(({ level }) => level !== 'info')
    expect(warnings.map(({ msg }) => msg)).toEqual([
      'deliveries may reach these address ranges, public or not',
    ])
  })

  test('the command line and REST tell the time of now', async () => {
    expectNow(posthorn.organization.created_at)
    const created = await rest('POST', '/webhooks', {
      ...{ url: posthorn.receiver.url, enabled: true, event_subscriptions: [JOINED] },
    })
    expectNow(created.created_at)
    webhookId = created.id
    expect(await rest('GET', `/webhooks/${webhookId}`)).toEqual(created)
    const updated = await rest('PUT', `/webhooks/${webhookId}`, { description: 'IŞIK' })
    expect(updated.created_at).toBe(created.created_at)
    expectNow(updated.updated_at)
  })

  test('a delivery is retried, and its receiver got what event.body shows', async () => {
    let failed = false
    posthorn.receiver.answer = (response) => {
      response.writeHead(failed ? 200 : 500).end()
      failed = true
    }
    const { deliveryId, event } = await publish({ place: 'IŞIK' })
    await untilDelivery(posthorn, deliveryId, succeeded, 'the retry succeeds')
    const [first, retry] = receivedOf(deliveryId)
    expect(retry?.body).toEqual(first?.body)
    expect(retry?.body.toString()).toBe(event.body)
    expectNow(event.occurredAt)
    expectNow(event.publishedAt)
    expectNow(new Date(Number(retry?.headers['wh-timestamp']) * 1_000).toISOString())
    expect(JSON.parse(event.body)).toMatchObject({ data: { place: 'IŞIK' } })
    const { delivery } = await posthorn.graphql(
      `query ($id: ID!) { delivery(id: $id) {
        createdAt finishedAt attempts { nodes { startedAt recordedAt } } } }`,
      { id: deliveryId },
    )
    const { createdAt, finishedAt, attempts } = delivery
    expect(attempts.nodes).toHaveLength(2)
    const times: string[] = attempts.nodes.flatMap(Object.values)
    for (const at of [createdAt, finishedAt, ...times]) expectNow(at)
  })

  test("an application publishes in SQL, in a session with the server's settings", async () => {
    const host = new pg.Client({ connectionString: hostUrl(posthorn.databaseUrl) })
    host.on('error', () => {})
    await host.connect()
    const occurred = '2026-03-01 12:00:00+05:30'
    const { rows } = await host.query<{ event_id: string }>(
      `select event_id from posthorn.publish_event($1, $2, $3, occurred_at => $4)
       union all select event_id from posthorn.publish_events($1, $5)`,
      [
        ...[posthorn.organizationId, JOINED, '{"path": "C:\\\\temp", "at": null}', occurred],
        JSON.stringify([{ type: JOINED, data: ['ı', 'İ'] }]),
      ],
    )
    await host.end()
    const [past, present] = await Promise.all(rows.map(({ event_id }) => receivedEvent(event_id)))
    expect(past).toMatchObject({
      timestamp: '2026-03-01T06:30:00.000Z',
      data: { path: 'C:\\temp', at: null },
    })
    expect(present?.data).toEqual(['ı', 'İ'])
    expectNow(present?.timestamp)
  })

  test('the log has no error', () => {
    expect(logLines(posthorn.log).filter(({ level }) => level === 'error')).toEqual([])
  })

  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its answer.
  async function rest(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${posthorn.url}/api/connect/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${posthorn.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.ok).toBe(true)
    return await response.json()
  }

  async function publish(data: unknown) {
    const fields = 'event { id body occurredAt publishedAt deliveries { nodes { id } } }'
    const input = { type: JOINED, data }
    const published = await call(
      posthorn,
      'publishEvent',
      { input },
      `publishedEvent { ${fields} }`,
    )
    const event: PublishedEvent = published.publishedEvent.event
    return { event, deliveryId: event.deliveries.nodes[0]?.id ?? '' }
  }

  const receivedOf = (deliveryId: string) =>
    posthorn.receiver.received.filter(({ headers }) => headers['wh-id'] === deliveryId)

  async function receivedEvent(id: string | undefined) {
    const found = () =>
      posthorn.receiver.received
        .map(({ body }) => JSON.parse(body.toString()))
        .find((event) => event.id === id)
    await until(found, `the event ${id} arrives`)
    return found() as { timestamp: string; data: unknown }
  }
}

interface PublishedEvent {
  readonly id: string
  readonly body: string
  readonly occurredAt: string
  readonly publishedAt: string
  readonly deliveries: { readonly nodes: readonly { readonly id: string }[] }
}

const succeeded = ({ state }: { readonly state: string }) => state === 'SUCCEEDED'

/** The zones of the story are hours away from each other and from UTC. */
function expectNow(at: string | null | undefined): void {
  expect(at).toMatch(/Z$/)
  expect(Math.abs(Date.parse(String(at)) - Date.now()), String(at)).toBeLessThan(60_000)
}
