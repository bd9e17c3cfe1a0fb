import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { subscribe } from '../graphql/support/live.ts'
import { createApiKey } from '../support/api-keys.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startInstallation } from '../support/installation.ts'
import { type LogLine, logLine, logLines } from '../support/log-lines.ts'
import { useResource } from '../support/use-resource.ts'

const PUBLISH_PATH = '/api/events/v1/events'
const WEBHOOKS = '/api/connect/v1/webhooks'
const ID = 'wh_01h455vb4pex5vsknk084sn02q'
const SECRET = 'nobody-logs-this'

let number = 0
let requestId: string

const { database, posthorn, url, tenant } = await useResource(
  startInstallation({ POSTHORN_LOG_LEVEL: 'debug' }, ['start', '--role', 'api']),
)
beforeEach(() => {
  requestId = `request-${++number}`
})

/** Sends a request with the id of the test. Returns the response and the line of the request. */
async function call(path: string, init: RequestInit & { token?: string | null } = {}) {
  const { token = tenant.token, headers, ...rest } = init
  const response = await fetch(url + path, {
    ...rest,
    headers: {
      'x-request-id': requestId,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(rest.body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  await response.text()
  const id = response.headers.get('x-request-id') as string
  return { response, id, line: await logLine(posthorn, { requestId: id }) }
}

const graphql = (query: string, options: object = {}, init: Parameters<typeof call>[1] = {}) =>
  call('/graphql', { method: 'POST', body: JSON.stringify({ query, ...options }), ...init })

/** The line of a slower request is at `info`. */
const SLOW_MS = 1_000

/** The line has these fields, those of every request, and no others. */
function expectFinished(line: LogLine, expected: object): void {
  const { event, time, service, requestId: _, durationMs, ...facts } = line
  expect({ event, service }).toEqual({ event: 'request.finished', service: 'posthorn' })
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(Number.isInteger(durationMs)).toBe(true)
  expect(Number.isNaN(Date.parse(time))).toBe(false)
  // On a busy machine, a request can be slow.
  const level = durationMs > SLOW_MS ? 'info' : 'debug'
  expect(facts).toEqual({ level, msg: 'request finished', ...expected })
}

const caller = () => ({
  keyId: publicId('apiKey', tenant.keyId),
  organizationId: tenant.publicOrganizationId,
})

describe('one line for each request', () => {
  test.each([
    ['GET', WEBHOOKS, 200, WEBHOOKS],
    ['GET', `${WEBHOOKS}/${ID}`, 404, `${WEBHOOKS}/{webhook_id}`],
    ['GET', `${WEBHOOKS}/${ID}/secret`, 404, `${WEBHOOKS}/{webhook_id}/secret`],
    ['PATCH', `${WEBHOOKS}/${ID}`, 405, `${WEBHOOKS}/{webhook_id}`],
    ['GET', `${PUBLISH_PATH}/?${SECRET}`, 405, PUBLISH_PATH],
  ])('%s %s: %i at %s', async (method, path, status, route) => {
    const { line } = await call(path, { method })
    expectFinished(line, { method, route, status, ...caller() })
    expect(logLines(posthorn).filter((other) => other['requestId'] === requestId)).toHaveLength(1)
  })

  test('the line of a rejected key names no caller', async () => {
    const { line } = await call(`${WEBHOOKS}/${ID}`, { token: SECRET })
    expectFinished(line, { method: 'GET', route: `${WEBHOOKS}/{webhook_id}`, status: 401 })
  })

  test.each([
    ['/nowhere', null],
    ['/api/connect/v1/nowhere', '/api/connect/v1/*'],
  ])('the path of a request without a route is not in its line: %s', async (path, route) => {
    const { line } = await call(`${path}/${SECRET}`)
    expect(line).toMatchObject({ status: 404, route })
  })

  test('signing in names the key', async () => {
    const body = JSON.stringify({ token: tenant.token })
    const { line } = await call('/console/session', { method: 'POST', body, token: null })
    expectFinished(line, { method: 'POST', route: '/console/session', status: 204, ...caller() })
  })
})

describe('GraphQL', () => {
  test('the line has the name and the type of the operation, and no variable', async () => {
    const query = `mutation Publish($data: JSON!) { publishEvent(input: { type: "${JOINED}", data: $data }) { __typename } }`
    const { line } = await graphql(query, { variables: { data: { value: SECRET } } })
    expectFinished(line, {
      ...{ method: 'POST', route: '/graphql', status: 200, ...caller() },
      ...{ operationType: 'mutation', operationName: 'Publish' },
    })
  })

  test.each([
    ['query One { __typename } query Two { __typename }', 'Two', 'query'],
    [`query ${'a'.repeat(200)} { __typename }`, 'a'.repeat(100), 'query'],
    ['query Wrong { nonsense }', 'Wrong', 'query'],
    ['{ __typename }', undefined, 'query'],
    ['{ ', undefined, undefined],
  ])('the line of %s has its name, shortened, and its type', async (query, name, type) => {
    const { line } = await graphql(query, name === 'Two' ? { operationName: name } : {})
    expect(line).toMatchObject({ route: '/graphql', ...caller() })
    expect([line['operationName'], line['operationType']]).toEqual([name, type])
  })

  test('the organization is the one that an operator acts for', async () => {
    const { organizationId } = await createTenant(database.prisma)
    const { key, token } = await createApiKey(database.prisma, {
      organizationId,
      scopes: ['admin'],
    })
    const headers = { 'posthorn-organization': tenant.publicOrganizationId }
    const { line } = await graphql('{ viewer { id } }', {}, { token, headers })
    expect(line).toMatchObject({
      keyId: publicId('apiKey', key.id),
      organizationId: tenant.publicOrganizationId,
    })
  })

  test('a subscription is logged at its end', async () => {
    const query = 'subscription Attempts { attemptRecorded { number } }'
    const lines = () => logLines(posthorn).filter((line) => line['operationName'] === 'Attempts')
    const stream = await subscribe(url, tenant.token, query)
    await graphql('{ __typename }')
    expect(lines()).toEqual([])
    stream[Symbol.dispose]()
    await logLine(posthorn, { operationName: 'Attempts' })
    expect(lines()).toMatchObject([
      { operationType: 'subscription', status: 200, aborted: true, ...caller() },
    ])
  })
})

test.each([
  [0, 'debug'],
  [1_100, 'info'],
])(
  'a request whose client goes away after %i ms is logged as aborted, at %s',
  async (closeAfterMs, level) => {
    const head = [
      'POST /graphql HTTP/1.1',
      'host: x',
      `x-request-id: ${requestId}`,
      `authorization: Bearer ${tenant.token}`,
      'content-type: application/json',
      'content-length: 100',
    ]
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => {
      const close = () => setTimeout(() => socket.destroy(), closeAfterMs)
      socket.write(`${head.join('\r\n')}\r\n\r\n{`, close)
    })
    await once(socket, 'close')
    const line = await logLine(posthorn, { requestId })
    expect(line).toMatchObject({ level, status: null, aborted: true, msg: 'request aborted' })
  },
)

describe('x-request-id', () => {
  test.each([[''], ['two words'], ['x'.repeat(129)]])(
    'that is not 1 to 128 visible characters, "%s", is replaced',
    async (header) => {
      const { id } = await call(WEBHOOKS, { headers: { 'x-request-id': header } })
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    },
  )

  test.each([
    [WEBHOOKS, 401],
    [PUBLISH_PATH, 401],
    ['/nowhere', 404],
    ['/openapi.json', 200],
  ])('is on the answer of %s with the status %i', async (path, status) => {
    const { response, id } = await call(path, status === 401 ? { token: 'wrong' } : {})
    expect([response.status, id]).toEqual([status, requestId])
  })
})

test('no line has a secret, an id of a path or a variable', () => {
  const requests = logLines(posthorn).filter((line) => String(line['event']).startsWith('request'))
  expect(requests.length).toBeGreaterThan(20)
  const text = JSON.stringify(requests)
  for (const secret of [SECRET, ID, tenant.token, 'limit=']) expect(text).not.toContain(secret)
})
