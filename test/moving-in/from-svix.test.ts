import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { useReceiver } from '../support/receiver.ts'

const SCRIPT = fileURLToPath(new URL('../../examples/moving-in/from-svix.mjs', import.meta.url))
const TOKEN = 'testsk_marker-of-the-token'
const AT = '2026-01-31T12:00:00Z'

/** What the API of Svix answers about an endpoint: the endpoint itself, and its three parts. */
interface Endpoint {
  readonly fields?: object
  readonly key?: string
  readonly headers?: object
  readonly transformation?: object
}

let operator: string
let svix: Server
/** Endpoints by the ids of their applications. */
let applications: Record<string, Endpoint[]>

const receiver = await useReceiver()
const posthorn = await useTestApp()

beforeAll(async () => {
  operator = (await createTenant(posthorn.database.prisma, ['admin'])).token
  svix = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`
    const answer = isKnown ? answerOf(pathname.split('/').slice(4), searchParams) : null
    response.writeHead(answer ? 200 : isKnown ? 404 : 401).end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(svix, 'listening')
})
afterAll(async () => {
  svix?.close()
})
beforeEach(async () => {
  applications = {}
  await posthorn.database.pool.query(`delete from posthorn.organizations where uid like 'app\\_%'`)
})

/** Of the path after `/api/v1/app`. A page has one item, whatever the limit. */
function answerOf([app, , endpoint, part]: string[], query: URLSearchParams): object | null {
  const page = (items: readonly object[]) => {
    const start = Number(query.get('iterator') ?? 0)
    const done = start + 1 >= items.length
    return { data: items.slice(start, start + 1), iterator: String(start + 1), done }
  }
  if (app === undefined) {
    return page(
      Object.keys(applications).map((id) => ({
        ...{ id, uid: null, name: id, metadata: { plan: 'pro' }, rateLimit: null },
        ...{ createdAt: AT, updatedAt: AT },
      })),
    )
  }
  const endpoints = (applications[app] ?? []).map(({ fields, ...parts }, i) => {
    const times = { version: 1, createdAt: AT, updatedAt: AT }
    const known = { description: '', url: 'https://example.com/', channels: null, ...times }
    return {
      parts,
      fields: { id: `ep_${i}`, uid: null, ...known, filterTypes: [JOINED], ...fields },
    }
  })
  if (endpoint === undefined) return page(endpoints.map(({ fields }) => fields))
  const parts = endpoints.find(({ fields }) => fields.id === endpoint)?.parts
  if (part === 'secret') return { key: parts?.key ?? secretOf() }
  if (part === 'headers') return { headers: {}, sensitive: [], ...parts?.headers }
  return parts?.transformation ?? null
}

const secretOf = () => `whsec_${randomBytes(24).toString('base64')}`

async function run(...flags: string[]) {
  const environment = {
    SVIX_URL: `http://127.0.0.1:${(svix.address() as AddressInfo).port}`,
    SVIX_TOKEN: TOKEN,
    POSTHORN_URL: posthorn.app.url,
    POSTHORN_API_KEY: operator,
  }
  return await new Promise<{ lines: string[]; stderr: string; code: unknown }>((resolve) => {
    execFile(process.execPath, [SCRIPT, ...flags], { env: environment }, (error, out, stderr) => {
      expect(out + stderr).not.toContain(TOKEN)
      resolve({ lines: out.split('\n').filter(Boolean), stderr, code: error?.code ?? 0 })
    })
  })
}

async function moved() {
  return await posthorn.database.prisma.webhook.findMany({
    where: { organization: { uid: { startsWith: 'app_' } } },
    include: { organization: true },
    orderBy: { uid: 'asc' },
  })
}

test('endpoints of Svix go on with their secrets and names of headers', async () => {
  const secret = secretOf()
  applications = {
    app_acme: [
      {
        fields: { uid: 'orders', url: receiver.url, metadata: { team: 'a' }, throttleRate: 50 },
        key: secret.slice('whsec_'.length),
        headers: { headers: { 'X-Team': 'events' } },
        transformation: { code: null, enabled: false, updatedAt: AT },
      },
      { fields: { filterTypes: [TICKET], disabled: true } },
    ],
    app_beta: [{}],
  }
  expect(await run('--dry-run')).toMatchObject({ code: 0, stderr: '' })
  expect(await moved()).toEqual([])
  expect(await run()).toEqual({
    code: 0,
    stderr: '',
    lines: [
      'created: app_acme',
      'created: app_acme/orders',
      'created: app_acme/ep_1 (disabled in Svix)',
      'created: app_beta',
      'created: app_beta/ep_0',
    ],
  })
  const webhooks = await moved()
  expect(webhooks).toMatchObject([
    { uid: 'ep_0', organization: { uid: 'app_beta' } },
    { uid: 'ep_1', eventSubscriptions: [TICKET] },
    {
      ...{ uid: 'orders', url: receiver.url, eventSubscriptions: [JOINED], headerPrefix: 'svix-' },
      ...{ metadata: { team: 'a' }, rateLimitPerSecond: 50 },
      organization: { uid: 'app_acme', metadata: { plan: 'pro' } },
    },
  ])
  expect(webhooks.map(({ enabled }) => enabled)).toEqual([false, false, false])

  await posthorn.database.pool.query(
    `update posthorn.webhooks set enabled = true where uid = 'orders'`,
  )
  const { organizationId } = webhooks[2] as { organizationId: string }
  await posthorn.services.publishEvents(organizationId, [{ type: JOINED, data: { seat: 1 } }])
  const { headers, body } = await receiver.arrival(1)
  expect(headers['x-team']).toBe('events')
  const standard = Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [
      `webhook-${name}`,
      String(headers[`svix-${name}`]),
    ]),
  )
  expect(new StandardWebhook(secret).verify(body.toString(), standard)).toEqual({ seat: 1 })
  expect(() => new StandardWebhook(secretOf()).verify(body.toString(), standard)).toThrow()

  const { lines } = await run()
  expect(lines.map((line) => line.split(':')[0])).toEqual(Array(5).fill('unchanged'))
  expect((await moved()).map(({ enabled }) => enabled)).toEqual([false, false, true])
})

test.each([
  ['"regions" (["eu"])', { fields: { regions: ['eu'] } }],
  ['"channels" (["project_1"])', { fields: { channels: ['project_1'] } }],
  ['"sensitive" (["Authorization"])', { headers: { sensitive: ['Authorization'] } }],
  ['a transformation', { transformation: { code: 'x', enabled: true } }],
  ['no "filterTypes"', { fields: { filterTypes: null } }],
  ['no "filterTypes"', { fields: { filterTypes: [] } }],
])('an endpoint with %s stops everything, by name', async (named, endpoint) => {
  applications = { app_acme: [{}, endpoint] }
  const { code, lines, stderr } = await run()
  expect([code, lines]).toEqual([1, []])
  expect(stderr).toContain(`The endpoint ep_1 of the application app_acme has`)
  expect(stderr).toContain(named)
  expect(stderr).toContain('Nothing was written.')
  expect(await moved()).toEqual([])
})

test('all event types need a flag', async () => {
  applications = { app_acme: [{ fields: { filterTypes: null } }] }
  const { code, stderr } = await run('--all')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/--all.*\n.*usage/)])
  expect(await moved()).toEqual([])
  expect(await run('--all-event-types')).toMatchObject({ code: 0 })
  expect(await moved()).toMatchObject([{ eventSubscriptions: ['*'] }])
})

test.each([
  ['order.unknown', { fields: { filterTypes: ['order.unknown'] } }],
  ['24 to 64 bytes', { key: 'whsk_1' }],
])('what Posthorn refuses is shown with the uid: %s', async (reason, endpoint) => {
  applications = { app_acme: [endpoint] }
  const { code, stderr } = await run()
  expect(code).toBe(1)
  expect(stderr).toContain('Webhook ep_0')
  expect(stderr).toContain(reason)
})
