import { auditServer } from 'graphql-http'
import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { useResource } from '../support/use-resource.ts'

// Own: the requests without a key would use up the limit of this address.
const posthorn = await useResource(startTestApp({ role: 'api' }))

/** The official audit of GraphQL over HTTP: https://github.com/graphql/graphql-http#audits */
async function audit(authorization: Record<string, string>) {
  const fetchFn = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as object), ...authorization } })
  const results = await auditServer({ url: `${posthorn.app.url}/graphql`, fetchFn })
  return results.map((result) =>
    result.status === 'ok' ? 'ok' : `${result.id} ${result.name}: ${result.reason}`,
  )
}

test.each([
  ['with a key', () => ({ authorization: `Bearer ${posthorn.tenant.token}` })],
  ['without a key, for what needs none', () => ({})],
])('the server passes all 61 audits of the GraphQL over HTTP specification, %s', async (_, key) => {
  expect(await audit(key())).toEqual(Array(61).fill('ok'))
})
