import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import type { Sql } from '../../src/db/client.ts'
import { createAuthenticateSession } from '../../src/sessions/authenticate-session.ts'
import { startSession } from '../../src/sessions/session.ts'
import { readAnswer, request, useApi } from '../graphql/support/api.ts'

const api = await useApi()
const tenant = await api.tenant()
const { token } = await startSession(api.database.pool, tenant.keyId, SYSTEM, null)

test('a request with a cookie is authenticated by one statement', async () => {
  const withCookie = request(null, { query: '{ viewer { scopes } }' })
  withCookie.headers.set('cookie', `theme=dark; posthorn_session=${token}`)
  withCookie.headers.set('posthorn-console', '1')
  api.statements.clear()
  const { data } = await readAnswer(await api.handle(withCookie))
  expect(data.viewer.scopes).toContain('webhooks:read')
  expect(api.statements.list).toEqual(['authenticate_session'])
})

test('a malformed session token is rejected without a lookup', async () => {
  const authenticate = createAuthenticateSession({
    query: () => {
      throw new Error('The token was looked up.')
    },
  } as unknown as Sql)
  for (const wrong of ['', 'x', `${token}x`, `${token.slice(1)}\n`, tenant.token]) {
    await expect(authenticate(wrong)).rejects.toThrow('Sign in again.')
  }
})

test('a revoked key cannot start a session', async () => {
  const { pool, prisma } = api.database
  const other = await api.tenant()
  await prisma.apiKey.update({ where: { id: other.keyId }, data: { revokedAt: new Date() } })
  await expect(startSession(pool, other.keyId, SYSTEM, null)).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})
