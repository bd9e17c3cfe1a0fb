import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Limits } from '../../../src/auth/access/scope.ts'
import { createAuthenticate } from '../../../src/auth/api-keys/authenticate.ts'
import { publicId } from '../../../src/db/ids.ts'
import { recordStatements } from '../../graphql/support/statements.ts'
import { createApiKey, revokeApiKey } from '../../support/api-keys.ts'
import { useTestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

const posthorn = await useTestApp({ role: 'api' })
/** Other connections than those of the process that remembers keys. */
const { prisma, pool } = posthorn.database
const { pool: general, pipeline } = posthorn.services.database

afterEach(() => void vi.useRealTimers())

async function publish(token: string, events: unknown = { type: JOINED, data: {} }) {
  const response = await fetch(`${posthorn.app.url}/api/events/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })
  const { detail } = (await response.json()) as { detail?: string }
  return { status: response.status, detail, headers: response.headers }
}

const events = (count: number) => Array(count).fill({ type: JOINED, data: {} })

/** A key of an organization of its own. */
async function createKey(limits: Partial<Limits> = {}) {
  const { organizationId } = await createTenant(prisma)
  const scopes = ['events:publish', 'events:read'] as const
  const { key, token } = await createApiKey(prisma, { organizationId, scopes, ...limits })
  return { id: key.id, token, count: () => prisma.event.count({ where: { organizationId } }) }
}

/** The process has published an event with the key. */
async function rememberedKey(limits?: Partial<Limits>) {
  const created = await createKey(limits)
  expect(await publish(created.token)).toMatchObject({ status: 201 })
  return created
}

const change = (id: string, data: Parameters<typeof prisma.apiKey.update>[0]['data']) =>
  prisma.apiKey.update({ where: { id }, data })

test('publishing with a key that the process remembers is one statement', async () => {
  const { token, count } = await rememberedKey()
  const statements = [general, pipeline].map((recorded) => recordStatements({ pool: recorded }))
  // The process forgets all keys once a minute, perhaps just now.
  await until(async () => {
    for (const { clear } of statements) clear()
    expect((await publish(token)).status).toBe(201)
    return statements.flatMap(({ list }) => list).join() === 'insert_events'
  }, 'an event is published with one statement')
  expect(await count()).toBeGreaterThan(1)

  const unknown = await createKey()
  for (const { clear } of statements) clear()
  expect((await publish(unknown.token)).status).toBe(201)
  expect(statements.flatMap(({ list }) => list)).toEqual(['authenticate', 'insert_events'])
})

const revoke = (id: string) => revokeApiKey(prisma, publicId('apiKey', id))
const drop = (id: string) => prisma.apiKey.delete({ where: { id } })
const LACKS = 'The API key lacks the scope events:publish. Use a key that has it.'
test.each<[string, (id: string) => Promise<unknown>, number, string]>([
  ['it was revoked', revoke, 401, 'The API key is revoked.'],
  ['it has expired', (id) => change(id, { expiresAt: new Date() }), 401, 'The API key is expired.'],
  ['it was deleted', drop, 401, 'The API key is unknown.'],
  ['it lost the scope', (id) => change(id, { scopes: ['events:read'] }), 403, LACKS],
])('a remembered key publishes nothing once %s', async (_, act, status, detail) => {
  const { id, token, count } = await rememberedKey()
  await act(id)
  const answers = await Promise.all([publish(token), publish(token, events(3)), publish(token)])
  // An event that is not valid must not tell about the catalogue.
  answers.push(await publish(token, { type: 'no.such', data: {} }))
  expect(answers).toMatchObject(Array(4).fill({ status, detail }))
  expect(await count()).toBe(1)
})

test('a remembered key that was revoked learns nothing from a request that is not valid', async () => {
  const { id, token } = await rememberedKey()
  expect(await publish(token, 'no event')).toMatchObject({ status: 422 })
  await revoke(id)
  expect(await publish(token, 'no event')).toMatchObject({ status: 401 })
})

describe('a change of the limits of a key that the process remembers applies at once', () => {
  test('to lower ones', async () => {
    const { id, token, count } = await rememberedKey()
    await change(id, { eventsPerSecond: 1 })
    const { status, headers } = await publish(token, events(5))
    expect(status).toBe(201)
    expect(headers.get('ratelimit-policy')).toContain('"events";q=10;w=10')
    // The try that Postgres refused does not count.
    const [, remaining] = /"events";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
    expect(Number(remaining)).toBeGreaterThanOrEqual(4)
    expect((await publish(token, events(20))).status).toBe(201)
    expect((await publish(token)).status).toBe(429)
    expect(await count()).toBe(26)
  })

  test('to higher ones', async () => {
    const { id, token } = await rememberedKey({ eventsPerSecond: 1 })
    expect((await publish(token, events(900))).status).toBe(201)
    expect((await publish(token)).status).toBe(429)
    await change(id, { eventsPerSecond: 1_000 })
    expect((await publish(token)).status).toBe(201)
  })
})

test('the other calls of a key that the process remembers read it', async () => {
  const { id, token } = await rememberedKey()
  const pull = () =>
    fetch(`${posthorn.app.url}/api/events/v1/pull?consumer=one`, {
      headers: { authorization: `Bearer ${token}` },
    })
  expect((await pull()).status).not.toBe(401)
  await revoke(id)
  expect((await pull()).status).toBe(401)
})

test('a key is remembered for a minute, so that its last use stays known', async () => {
  const { id, token } = await rememberedKey()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const authenticate = createAuthenticate(pool)
  const header = `Bearer ${token}`
  const caller = await authenticate(header, undefined, 'memory')
  const lastUsedAt = new Date(Date.now() - 120_000)
  await change(id, { lastUsedAt })
  vi.advanceTimersByTime(59_000)
  expect(await authenticate(header, undefined, 'memory')).toBe(caller)
  expect((await prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt).toEqual(lastUsedAt)
  vi.advanceTimersByTime(1_000)
  expect(await authenticate(header, undefined, 'memory')).not.toBe(caller)
  vi.useRealTimers()
  await until(async () => {
    const key = await prisma.apiKey.findUniqueOrThrow({ where: { id } })
    return key.lastUsedAt && key.lastUsedAt > lastUsedAt
  }, 'the last use is written')
})

test('a session is never remembered, and cannot publish here', async () => {
  const { id, token } = await createKey()
  await change(id, { sessionKind: 'portal', expiresAt: new Date(Date.now() + 60_000) })
  const authenticate = createAuthenticate(pool)
  const read = () => authenticate(`Bearer ${token}`, undefined, 'memory')
  expect(await read()).not.toBe(await read())
  for (let i = 0; i < 2; i++) expect((await publish(token)).status).toBe(403)
})
