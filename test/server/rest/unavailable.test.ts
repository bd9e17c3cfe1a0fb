import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/client.ts'
import { runRequest } from '../../../src/telemetry/request-log.ts'
import {
  connectV1Deps,
  mount,
  NEW_WEBHOOK,
  problem,
  request,
  UNKNOWN_ID,
  useConnectV1,
} from './connect-v1.ts'

const api = await useConnectV1()

const CALLS: [method: string, path: string, body?: object][] = [
  ['POST', '/webhooks', NEW_WEBHOOK],
  ['GET', '/webhooks'],
  ['GET', `/webhooks/${UNKNOWN_ID}`],
  ['PUT', `/webhooks/${UNKNOWN_ID}`, {}],
  ['DELETE', `/webhooks/${UNKNOWN_ID}`],
  ['GET', `/webhooks/${UNKNOWN_ID}/secret`],
  ['POST', `/webhooks/${UNKNOWN_ID}/secret/rotate`],
]

const UNREACHABLE = 'The database is unreachable.'
const BUSY =
  'Posthorn has too many requests in progress: all its connections to the database are busy.'

async function expectUnavailable(response: Response, cause = UNREACHABLE) {
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  const { type, detail } = await problem(response, 503)
  expect(type).toBe('urn:posthorn:problem:unavailable')
  expect(detail).toBe(`${cause} Retry shortly, with the same idempotency key if you sent one.`)
}

describe('503 and Retry-After: Postgres is unreachable', () => {
  test.each(CALLS)('%s %s, before authentication and after it', async (method, path, body) => {
    await using gone = openDatabase('postgres://nobody@127.0.0.1:1/nothing')
    const deps = connectV1Deps(gone)
    const call = { token: api.tenant.token, body }
    await expectUnavailable(await request(mount(deps), method, path, call))
    const app = mount({ ...api.deps, webhooks: deps.webhooks })
    for (const headers of [{ 'idempotency-key': 'k' }, {}]) {
      await expectUnavailable(await request(app, method, path, { ...call, headers }))
    }
  })

  test('all connections are busy, which says so', async () => {
    await using busy = openDatabase(api.database.url, { maxConnections: 1 })
    const client = await busy.pool.connect()
    try {
      const app = mount({ ...api.deps, webhooks: connectV1Deps(busy).webhooks })
      const headers = { 'idempotency-key': 'k' }
      const count = await api.countWebhooks()
      const call = { token: api.tenant.token, body: NEW_WEBHOOK }
      await expectUnavailable(await request(app, 'POST', '/webhooks', { ...call, headers }), BUSY)
      expect(await api.countWebhooks()).toBe(count)
    } finally {
      client.release()
    }
  })
})

test('500: an internal error is masked, and logged completely with the reference that the caller gets', async () => {
  api.logged.length = 0
  const error = new Error('the password is hunter2')
  const app = mount({ ...api.deps, authenticate: () => Promise.reject(error) })
  const line = { id: 'request-1', method: 'GET', route: () => null }
  const unknown = { caller: null, owner: null, operation: null, limit: null, trace: null }
  const response = await runRequest({ ...line, ...unknown }, () => request(app, 'GET', '/webhooks'))
  const body = await problem(response, 500)
  expect(JSON.stringify(body)).not.toMatch(/hunter2|Error|at /)
  expect(body.instance).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
  const reference = body.instance.slice('urn:uuid:'.length)
  expect(body.detail).toContain(reference)
  const of = { requestId: 'request-1', method: 'GET', path: '/api/connect/v1/webhooks' }
  expect(api.logged).toEqual([{ level: 'error', fields: { error, reference, ...of } }])
})
