import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/api-keys/api-key.ts'
import { publicId } from '../../src/ids.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { type Api, openApi, readAnswer, request } from './support/api.ts'

/* A key that was valid a moment ago is not asked for, but checked in the statement that stores the events. */
let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>

beforeAll(async () => {
  api = await openApi()
})
beforeEach(async () => {
  tenant = await api.tenant(['events:publish', 'webhooks:read'])
  await untilPresumed(tenant.token)
})
afterAll(() => api[Symbol.asyncDispose]())

const PUBLISH = `mutation ($type: String!) { publishEvent(input: { type: $type, data: {} }) {
  ... on PublishEventSuccess { publishedEvent { deliveryCount } }
  ... on ValidationError { message } } }`

const publish = (token: string, type = JOINED) => api.call(token, PUBLISH, { type })

/** Until the key is remembered, which it is once its use was noted. */
async function untilPresumed(token: string): Promise<void> {
  await until(async () => {
    await publish(token)
    return !api.statements.list.includes('authenticate')
  }, 'the key is remembered')
}

function stored({ organizationId }: { readonly organizationId: string }): Promise<number> {
  return api.database.prisma.event.count({ where: { organizationId } })
}

async function expectRefused(answer: Awaited<ReturnType<typeof publish>>, reason: string) {
  expect(answer.errors).toMatchObject([
    { message: reason, extensions: { code: 'UNAUTHENTICATED' } },
  ])
  expect(answer.data?.publishEvent ?? null).toBeNull()
}

test('publishing takes one statement where the same key has just published', async () => {
  const { data, errors } = await publish(tenant.token)
  expect(errors).toBeUndefined()
  expect(data.publishEvent.publishedEvent).toEqual({ deliveryCount: 0 })
  expect(api.statements.list).toEqual(['insert_events'])
})

test('a key that was revoked since publishes nothing', async () => {
  const before = await stored(tenant)
  await revokeApiKey(api.database.prisma, publicId('apiKey', tenant.keyId))
  await expectRefused(await publish(tenant.token), 'The API key is revoked.')
  expect(api.statements.list).toEqual(['insert_events', 'authenticate'])
  await expectRefused(await publish(tenant.token), 'The API key is revoked.')
  expect(api.statements.list).toEqual(['authenticate'])
  expect(await stored(tenant)).toBe(before)
})

test('a key that was revoked since is told so, and not what is wrong with the event', async () => {
  await revokeApiKey(api.database.prisma, publicId('apiKey', tenant.keyId))
  await expectRefused(await publish(tenant.token, 'no.such_type'), 'The API key is revoked.')
})

test('a key that is gone with its organization publishes nothing', async () => {
  await api.database.prisma.event.deleteMany({ where: { organizationId: tenant.organizationId } })
  await api.database.prisma.organization.delete({ where: { id: tenant.organizationId } })
  await expectRefused(await publish(tenant.token), 'The API key is unknown.')
})

test('a key that has expired since publishes nothing', async () => {
  const { organizationId } = tenant
  const expiresAt = new Date(Date.now() + 2_000)
  const { token } = await createApiKey(api.database.prisma, {
    organizationId,
    scopes: ['events:publish'],
    expiresAt,
  })
  await untilPresumed(token)
  const before = await stored(tenant)
  await sleep(expiresAt.getTime() - Date.now() + 10)
  await expectRefused(await publish(token), 'The API key is expired.')
  expect(api.statements.list).toEqual(['insert_events', 'authenticate'])
  expect(await stored(tenant)).toBe(before)
})

test('a key that was changed since publishes once, as it is now', async () => {
  const before = await stored(tenant)
  await api.database.prisma.apiKey.update({
    where: { id: tenant.keyId },
    data: { eventsPerSecond: 7 },
  })
  const { data } = await publish(tenant.token)
  expect(data.publishEvent.publishedEvent).toEqual({ deliveryCount: 0 })
  expect(api.statements.list).toEqual(['insert_events', 'authenticate', 'insert_events'])
  expect(await stored(tenant)).toBe(before + 1)
  const { headers } = await publish(tenant.token)
  expect(api.statements.list).toEqual(['insert_events'])
  expect(headers.get('ratelimit-policy')).toContain('q=70;')
})

test('a valid key is told what is wrong with the event', async () => {
  const { data, errors } = await publish(tenant.token, 'no.such_type')
  expect(errors).toBeUndefined()
  expect(data.publishEvent.message).toContain('There is no event type "no.such_type"')
})

test('calls that share a statement with a key that was revoked are stored', async () => {
  const revoked = await api.tenant(['events:publish'])
  await untilPresumed(revoked.token)
  const before = [await stored(tenant), await stored(revoked)]
  await revokeApiKey(api.database.prisma, publicId('apiKey', revoked.keyId))
  const tokens = [tenant.token, revoked.token, tenant.token]
  const answers = await Promise.all(tokens.map((token) => publish(token)))
  expect(answers.map(({ errors }) => errors?.length ?? 0)).toEqual([0, 1, 0])
  expect([await stored(tenant), await stored(revoked)]).toEqual([(before[0] ?? 0) + 2, before[1]])
})

test.each([
  ['a query', '{ viewer { scopes } }'],
  [
    'a mutation that does more',
    `${PUBLISH.slice(0, -1)} rotateSigningSecret(id: "x") { __typename } }`,
  ],
])('%s asks for the key each time', async (_what, query) => {
  await api.call(tenant.token, query, { type: JOINED })
  await api.call(tenant.token, query, { type: JOINED })
  expect(api.statements.list).toContain('authenticate')
})

test('the same document with another key asks for that one', async () => {
  const { token } = await api.tenant(['webhooks:read'])
  for (let i = 0; i < 3; i++) {
    const { errors } = await publish(token)
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    expect(api.statements.list).toEqual(['authenticate'])
  }
})

test('who acts for another organization is asked for each time', async () => {
  const admin = await api.tenant(['admin'])
  await untilPresumed(admin.token)
  const before = [await stored(tenant), await stored(admin)]
  const body = { query: PUBLISH, variables: { type: JOINED } }
  const asked = request(admin.token, body)
  asked.headers.set('posthorn-organization', tenant.publicOrganizationId)
  const { errors } = await readAnswer(await api.handle(asked))
  expect(errors).toBeUndefined()
  expect([await stored(tenant), await stored(admin)]).toEqual([(before[0] ?? 0) + 1, before[1]])
})
