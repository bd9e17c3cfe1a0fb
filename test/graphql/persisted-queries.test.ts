import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { readAnswer, request, useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Clients of Apollo's protocol then send the document: this time, and from then on. */
test('a hash without its document is not supported, and one beside it does not matter', async () => {
  const query = '{ viewer { scopes } }'
  const named = { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } } }
  const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED' }
  const errors = [{ message: 'PersistedQueryNotSupported', extensions }]
  expect(await api.send(tenant.token, named)).toMatchObject({ status: 200, errors })
  const { data } = await api.send(tenant.token, { query, ...named })
  expect(data.viewer.scopes).toContain('webhooks:read')
})

const TRUSTED = 'query Scopes { viewer { scopes } }'
const hash = sha256(TRUSTED)
const trustedDocuments = {
  [hash]: TRUSTED,
  deleting: 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }',
}
const handle = createGraphqlHandler({ ...api.deps, trustedDocuments })
const trustedBy = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
})
const askTrusted = async (body: object) => readAnswer(await handle(request(tenant.token, body)))

test('a trusted document runs, named by its hash', async () => {
  expect((await askTrusted(trustedBy(hash))).data.viewer.scopes).toContain('webhooks:read')
  const deleted = await askTrusted({ ...trustedBy('deleting'), variables: { id: 'wh_x' } })
  expect(deleted.data).toEqual({ deleteWebhook: { __typename: 'NotFoundError' } })
})

test('a trusted document needs a key, like any other', async () => {
  const { status, errors } = await readAnswer(await handle(request(null, trustedBy(hash))))
  expect(status).toBe(401)
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test.each([
  ['a document', { query: '{ viewer { scopes } }' }, 'Leave out `query`'],
  ['the text of a trusted one', { query: TRUSTED }, 'Leave out `query`'],
  ['introspection', { query: '{ __schema { description } }' }, 'Leave out `query`'],
  ['a document beside a hash', { query: TRUSTED, ...trustedBy(hash) }, 'Leave out `query`'],
  ['nothing', {}, 'Name one by its hash'],
  ['no hash', { extensions: { persistedQuery: { version: 1 } } }, 'Name one by its hash'],
])('%s is rejected, and the answer says what to send', async (_what, body, message) => {
  const { data, errors } = await askTrusted(body)
  expect(data).toBeUndefined()
  expect(errors).toMatchObject([{ extensions: { code: 'TRUSTED_DOCUMENTS_ONLY' } }])
  expect(errors?.[0].message).toContain('Only trusted documents run here')
  expect(errors?.[0].message).toContain(message)
})

test.each(['0'.repeat(64), '__proto__', 'constructor'])('hash %s is rejected', async (unknown) => {
  const { errors } = await askTrusted(trustedBy(unknown))
  const message = expect.stringContaining('No trusted document has this hash')
  expect(errors).toMatchObject([{ message, extensions: { code: 'TRUSTED_DOCUMENT_NOT_FOUND' } }])
})
