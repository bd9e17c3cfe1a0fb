import { expect, test } from 'vitest'
import { createAuthenticate } from '../../src/auth/api-keys/authenticate.ts'
import { openDatabase } from '../../src/db/client.ts'
import { mintId } from '../../src/db/ids.ts'
import { createGraphqlHandler, type GraphqlDeps } from '../../src/server/graphql-handler.ts'
import { followGraph } from '../../src/streams/event-stream/follow-graph.ts'
import { runRequest } from '../../src/telemetry/request-log.ts'
import { JOINED } from '../support/factories.ts'
import { readAnswer, request, useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

async function callWith(
  deps: Partial<GraphqlDeps>,
  query: string,
  variables = {},
  create = createGraphqlHandler,
) {
  api.log.length = 0
  const handle = create({ ...api.deps, ...deps })
  const none = { caller: null, owner: null, operation: null, limit: null, trace: null }
  const response = await runRequest(
    { id: 'request-1', method: 'POST', route: () => null, ...none },
    () => handle(request(tenant.token, { query, variables })),
  )
  const text = await response.clone().text()
  return { ...(await readAnswer(response)), text }
}

test('a fault is masked, and the log has the whole error under the returned reference', async () => {
  const fault = new Error('the password is hunter2', { cause: new Error('deeper') })
  const publishEvents = () => Promise.reject(fault)
  const query = document('events', 'PublishEvent')
  const variables = { input: { type: JOINED, data: {} } }
  const { data, errors, text } = await callWith({ publishEvents }, query, variables)
  expect(data).toEqual({ publishEvent: null })
  expect(errors).toEqual([
    {
      message: 'Internal error. The server log has the details under this reference.',
      path: ['publishEvent'],
      locations: expect.anything(),
      extensions: {
        code: 'INTERNAL',
        reference: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      },
    },
  ])
  expect(text).not.toMatch(/hunter2|deeper|stack|\.ts/)
  const { reference } = errors?.[0].extensions ?? {}
  const [message, stack] = [/hunter2/, /deeper/].map((text) => expect.stringMatching(text))
  const logged = { level: 50, reference, requestId: 'request-1', error: { message, stack } }
  expect(api.log).toMatchObject([logged])
})

test('a fault before any field is masked too', async () => {
  const authenticate = () => Promise.reject(new Error('hunter2'))
  const { errors, text, status } = await callWith({ authenticate }, '{ __typename }')
  expect(status).toBe(500)
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
  expect(text).not.toContain('hunter2')
  expect(api.log).toHaveLength(1)
})

test('an error of the caller is not logged', async () => {
  await callWith({}, '{ nonsense }')
  await callWith({}, '{ node(id: ')
  await callWith({}, '{ webhooks(first: 1000) { nodes { id } } }')
  expect(api.log).toEqual([])
})

test('every operation answers UNAVAILABLE and 503 while Postgres cannot be reached', async () => {
  await using away = openDatabase('postgres://nobody:nothing@127.0.0.1:1/nowhere')
  const message =
    'The database is unreachable. Retry shortly, with the same idempotency key if you sent one.'
  const unavailable = { status: 503, errors: [{ message, extensions: { code: 'UNAVAILABLE' } }] }
  const input = { url: 'https://example.com', eventSubscriptions: [JOINED] }
  // At the first statement, and at the second.
  const authenticate = createAuthenticate(away.pool)
  const { prisma } = away
  const webhooks = { ...api.deps.webhooks, prisma }
  const ofEvents = (deps: GraphqlDeps) => {
    const handle = createGraphqlHandler(deps, followGraph(away.pool, 0))
    return (sent: Request) => handle(new Request(new URL('/graphql/events', sent.url), sent))
  }
  for (const deps of [{ authenticate }, { prisma, sql: away.pool, webhooks }]) {
    const answers = [
      await callWith(deps, '{ event(id: "evt_1") { id } }', {}, ofEvents),
      await callWith(deps, '{ webhooks { nodes { id } } }'),
      await callWith(deps, '{ viewer { organization { name } } }'),
      await callWith(deps, document('webhooks', 'RotateSigningSecret'), { id: mintId('webhook') }),
      await callWith(deps, document('webhooks', 'CreateWebhook'), { input }),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject(unavailable)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|nowhere|stack/)
    }
  }
})
