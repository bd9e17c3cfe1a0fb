import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Authenticate, createAuthenticate } from '../../src/api-keys/authenticate.ts'
import { DEFAULT_LIMITS } from '../../src/api-keys/limits.ts'
import { hashToken, isWellFormedToken, mintToken } from '../../src/api-keys/token.ts'
import type { Database } from '../../src/db/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { until } from '../support/until.ts'

let database: Database
let authenticate: Authenticate
let tenant: Awaited<ReturnType<typeof createTenant>>

beforeAll(async () => {
  database = await createTestDatabase()
  authenticate = createAuthenticate(database.pool)
  tenant = await createTenant(database.prisma, ['webhooks:read'])
})
afterAll(async () => await database[Symbol.asyncDispose]())

test('contract 5.1: the key identifies the organization', async () => {
  expect(await authenticate(`Bearer ${tenant.token}`)).toEqual({
    keyId: tenant.keyId,
    organizationId: tenant.organizationId,
    scopes: new Set(['webhooks:read']),
    limits: DEFAULT_LIMITS,
    expiresAt: null,
    consoleSessionId: null,
    person: null,
    session: null,
  })
})

describe('rejected is', () => {
  test.each([
    ['no header', undefined, /No API key was given/],
    ['an empty header', '', /No API key was given/],
    ['another scheme', 'Basic cGhrOnk=', /must have the form/],
    ['a scheme alone', 'Bearer', /must have the form/],
    ['an invented token', 'Bearer phk_123', /malformed/],
    ['a token with a typing error', `Bearer ${mintToken().slice(0, -1)}!`, /malformed/],
    ['a well-formed token of no key', `Bearer ${mintToken()}`, /unknown/],
  ])('%s', async (_case, authorization, message) => {
    await expect(authenticate(authorization)).rejects.toMatchObject({
      code: 'unauthenticated',
      message,
    })
  })

  test('an expired key', async () => {
    const { key, token } = await createApiKey(database.prisma, {
      organizationId: tenant.organizationId,
      scopes: ['admin'],
      expiresAt: new Date(Date.now() + 60_000),
    })
    await authenticate(`Bearer ${token}`)
    await database.prisma.apiKey.update({ where: { id: key.id }, data: { expiresAt: new Date() } })
    await expect(authenticate(`Bearer ${token}`)).rejects.toThrow('The API key is expired.')
  })

  test('a revoked key, at once', async () => {
    const { key, token } = await createApiKey(database.prisma, {
      organizationId: tenant.organizationId,
      scopes: ['admin'],
    })
    await authenticate(`Bearer ${token}`)
    await revokeApiKey(database.prisma, publicId('apiKey', key.id))
    await expect(authenticate(`Bearer ${token}`)).rejects.toThrow('The API key is revoked.')
  })

  test('creating a key with an unknown scope, with a suggestion', async () => {
    await expect(
      createApiKey(database.prisma, {
        organizationId: tenant.organizationId,
        scopes: ['webhook:read'],
      }),
    ).rejects.toThrow(/There is no scope "webhook:read"\. Did you mean "webhooks:read"\?/)
  })

  test.each([[[]], [['admin', 'nope']]])('creating a key with the scopes %j', async (scopes) => {
    await expect(
      createApiKey(database.prisma, { organizationId: tenant.organizationId, scopes }),
    ).rejects.toMatchObject({ code: 'invalid' })
  })

  test('creating a key that has already expired', async () => {
    await expect(
      createApiKey(database.prisma, {
        organizationId: tenant.organizationId,
        scopes: ['admin'],
        expiresAt: new Date(Date.now() - 1),
      }),
    ).rejects.toThrow('expiresAt must be in the future.')
  })
})

test('only the hash of a token is stored', async () => {
  const { rows } = await database.pool.query('select * from posthorn.api_keys')
  const text = JSON.stringify(rows)
  expect(text).not.toContain(tenant.token)
  expect(text).toContain(tenant.token.slice(0, 8))
  expect(rows.some((row) => row.token_hash.equals(hashToken(tenant.token)))).toBe(true)
})

test('the last use of a key is recorded at most once a minute', async () => {
  const { token, keyId } = await createTenant(database.prisma)
  const lastUse = async () =>
    (await database.prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt
  expect(await lastUse()).toBeNull()
  await authenticate(`Bearer ${token}`)
  await until(async () => (await lastUse()) !== null, 'the use is recorded')
  const first = await lastUse()
  await authenticate(`Bearer ${token}`)
  expect(await lastUse()).toEqual(first)
})

describe('tokens', () => {
  test('have a prefix, 43 random characters and a checksum of 6 characters', () => {
    for (let i = 0; i < 200; i++) {
      const token = mintToken()
      expect(token).toMatch(/^phk_[0-9A-Za-z]{49}$/)
      expect(isWellFormedToken(token)).toBe(true)
    }
  })

  test('with any changed character fail the checksum', () => {
    const token = mintToken()
    for (let i = 4; i < token.length; i++) {
      const other = token[i] === 'a' ? 'b' : 'a'
      expect(isWellFormedToken(token.slice(0, i) + other + token.slice(i + 1))).toBe(false)
    }
  })
})
