import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { subscribe } from '../graphql/support/live.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { makeUsual } from '../support/hostile-database.ts'
import { needs } from '../support/left-out.ts'
import { logLine } from '../support/log-lines.ts'
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { postGraphql } from '../support/post-graphql.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'

let pooler: PgBouncer
/** Between Posthorn and the pooler. */
let network: TcpProxy
let tenant: Awaited<ReturnType<typeof createTenant>>
let environment: Record<string, string>
let posthorn: PosthornProcess
let url: string

const authority = path.join(await useFolder('pooler'), 'ca.pem')
const database = await useTestDatabase()
const receiver = await useResource(startReceiver())
beforeAll(async () => {
  await makeUsual(database)
  tenant = await createTenant(database.prisma)
  await writeFile(authority, receiver.authority)
  // Consecutive transactions of a client run in different sessions.
  const rounds = { default_pool_size: 5, server_round_robin: 1 }
  pooler = await startPgBouncer(database.url, { pool_mode: 'transaction', ...rounds })
  network = await startTcpProxy(pooler.url)
  environment = {
    ...testEnvironment(network.url),
    POSTHORN_DIRECT_DATABASE_URL: database.url,
    POSTHORN_LOG_LEVEL: 'info',
    POSTHORN_EGRESS_CA_FILE: authority,
  }
  posthorn = startPosthorn(['start'], { environment })
  url = (await logLine(posthorn, { msg: 'ready' }, 25_000))['url']
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await network[Symbol.asyncDispose]()
  await pooler[Symbol.asyncDispose]()
})
/** More calls than sessions, and so few that each soon gets one. */
const TIMES = Array.from({ length: 12 }, (_, index) => index)

test(
  'through a transaction pooler, GraphQL publishes, the worker delivers, and the subscription receives the attempts',
  needs('pgbouncer'),
  async () => {
    const { status } = await rest('POST', '', { ...WEBHOOK, url: receiver.url, enabled: true })
    expect(status).toBe(201)
    using stream = await subscribe(
      url,
      tenant.token,
      'subscription { attemptRecorded { succeeded } }',
    )
    const published = await Promise.all(TIMES.map(() => graphql(PUBLISH)))
    expect(published.filter(({ data }) => !data?.publishEvent.publishedEvent)).toEqual([])
    await receiver.arrival(TIMES.length)
    await stream.result(TIMES.length)
    const { data } = await graphql('{ deliveries { nodes { state } } }')
    expect(data.deliveries.nodes).toEqual(Array(TIMES.length).fill({ state: 'SUCCEEDED' }))
  },
)

test(
  'while the pooler is away, the API is unavailable, and the worker starts and delivers',
  needs('pgbouncer'),
  async () => {
    receiver.clear()
    network.blackhole()
    await until(async () => (await statusOf('/readyz')) === 503, 'the API is not ready')
    await using worker = startPosthorn(['start', '--role', 'worker'], { environment })
    await logLine(worker, { msg: 'ready' }, 25_000)
    await database.pool.query('select posthorn.publish_event($1, $2, $3)', [
      tenant.publicOrganizationId,
      JOINED,
      '{}',
    ])
    await receiver.arrival(1)
    await logLine(posthorn, { event: 'postgres.unavailable' }, 15_000)
    network.restore()
    await until(async () => (await statusOf('/readyz')) === 200, 'the API is ready', 15_000)
    expect((await rest('GET', '')).status).toBe(200)
  },
)

const graphql = (query: string) => postGraphql(url, tenant.token, query)
const WEBHOOK = { event_subscriptions: [JOINED] }
const PUBLISH = `mutation {
  publishEvent(input: { type: "${JOINED}", data: { number: 1 } }) {
    ... on PublishEventSuccess { publishedEvent { id } }
  }
}`

/** Sends the request again after 503, as clients do: on a slow machine, a connection can take too long. */
async function rest(method: string, route: string, body?: object): Promise<Response> {
  const response = await fetch(`${url}/api/connect/v1/webhooks${route}`, {
    method,
    headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.status === 503 ? await rest(method, route, body) : response
}

async function statusOf(route: string): Promise<number | null> {
  const signal = AbortSignal.timeout(5_000)
  const response = await fetch(url + route, { signal }).catch(() => null)
  return response?.status ?? null
}
