import { expect, test } from 'vitest'
import { createAuthenticate } from '../../src/api-keys/authenticate.ts'
import { hashToken } from '../../src/api-keys/token.ts'
import { sharedDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { until } from '../support/until.ts'

const database = await sharedDatabase()
const authenticate = createAuthenticate(database.pool)
const tenant = await createTenant(database.prisma, ['webhooks:read'])

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
