import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { readAnswer, request, useApi } from './support/api.ts'

const TRUSTED = 'query Scopes { viewer { scopes } }'
const hash = createHash('sha256').update(TRUSTED).digest('hex')
const trustedDocuments = {
  [hash]: TRUSTED,
  deleting: 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }',
}

const api = await useApi()
const { token } = await api.tenant()
const handle = createGraphqlHandler({ ...api.deps, trustedDocuments })

const named = (sha256Hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash } },
})
const ask = async (body: object) => readAnswer(await handle(request(token, body)))

test('a trusted document runs, named by its hash', async () => {
  expect((await ask(named(hash))).data.viewer.scopes).toContain('webhooks:read')
  const deleted = await ask({ ...named('deleting'), variables: { id: 'wh_x' } })
  expect(deleted.data).toEqual({ deleteWebhook: { __typename: 'NotFoundError' } })
})

test('a trusted document needs a key, like any other', async () => {
  const { status, errors } = await readAnswer(await handle(request(null, named(hash))))
  expect(status).toBe(401)
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test('a trusted mutation does not run as a GET', async () => {
  const extensions = JSON.stringify(named('deleting').extensions)
  const url = `http://127.0.0.1/graphql?${new URLSearchParams({ extensions, variables: '{"id":"wh_x"}' })}`
  const response = await handle(new Request(url, { headers: { authorization: `Bearer ${token}` } }))
  expect(response.status).toBe(405)
})

test.each([
  ['a document', { query: '{ viewer { scopes } }' }, 'Leave out `query`'],
  ['the text of a trusted one', { query: TRUSTED }, 'Leave out `query`'],
  ['introspection', { query: '{ __schema { description } }' }, 'Leave out `query`'],
  ['a document beside a hash', { query: TRUSTED, ...named(hash) }, 'Leave out `query`'],
  ['nothing', {}, 'Name one by its hash'],
  ['no hash', { extensions: { persistedQuery: { version: 1 } } }, 'Name one by its hash'],
])('%s is rejected, and the answer says what to send', async (_what, body, message) => {
  const { data, errors } = await ask(body)
  expect(data).toBeUndefined()
  expect(errors).toMatchObject([{ extensions: { code: 'TRUSTED_DOCUMENTS_ONLY' } }])
  expect(errors?.[0].message).toContain('Only trusted documents run here')
  expect(errors?.[0].message).toContain(message)
})

test.each(['0'.repeat(64), '__proto__', 'constructor'])(
  'the unknown hash %s is rejected',
  async (unknown) => {
    const { errors } = await ask(named(unknown))
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('No trusted document has this hash'),
        extensions: { code: 'TRUSTED_DOCUMENT_NOT_FOUND' },
      },
    ])
  },
)
