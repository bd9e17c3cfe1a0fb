import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { readAnswer, request, useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const named = (text: string, version = 1) => ({
  extensions: { persistedQuery: { version, sha256Hash: sha256(text) } },
})

/** A document that no test has registered. */
const newDocument = () => `query Q${++documents} { viewer { scopes } }`
let documents = 0

const ask = (body: object, key: string | null = tenant.token) => api.send(key, body)

const notFound = [
  { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
]

describe('an automatic persisted query', () => {
  test('runs by its hash alone, once a client has sent its document', async () => {
    const query = newDocument()
    const unknown = await ask(named(query))
    expect(unknown).toMatchObject({ status: 200, errors: notFound })
    expect(unknown.headers.get('ratelimit')).toContain('requests')
    for (const body of [{ query, ...named(query) }, named(query)]) {
      const { data, errors } = await ask(body)
      expect(errors).toBeUndefined()
      expect(data.viewer.scopes).toContain('webhooks:read')
    }
  })

  test('runs as a GET, which mutations cannot', async () => {
    const get = async (query: string) => {
      await ask({ query, ...named(query), variables: { id: 'wh_x' } })
      const extensions = JSON.stringify(named(query).extensions)
      const search = new URLSearchParams({ extensions, variables: '{"id":"wh_x"}' })
      const headers = { authorization: `Bearer ${tenant.token}`, accept: 'application/json' }
      return await api.handle(new Request(`http://127.0.0.1/graphql?${search}`, { headers }))
    }
    expect((await readAnswer(await get(newDocument()))).data.viewer.scopes).toBeDefined()
    const mutation = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'
    expect((await get(mutation)).status).toBe(405)
  })

  test('is rejected if the hash belongs to another document, which is then not kept', async () => {
    const query = newDocument()
    const answer = await ask({ query: '{ viewer { organization { id } } }', ...named(query) })
    expect(answer).toMatchObject({ status: 400, errors: [{ message: 'PersistedQueryMismatch' }] })
    expect((await ask(named(query))).errors).toMatchObject(notFound)
  })

  test('is neither run nor kept without a key', async () => {
    const query = newDocument()
    for (const body of [named(query), { query, ...named(query) }]) {
      const { status, errors } = await ask(body, null)
      expect(status).toBe(401)
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    }
    expect((await ask(named(query))).errors).toMatchObject(notFound)
  })

  test.each([null, 'x', {}, { version: 1 }, { version: 1, sha256Hash: 7 }])(
    'that is malformed, %j, is an invalid request',
    async (persistedQuery) => {
      const { errors } = await ask({ extensions: { persistedQuery } })
      expect(errors).toHaveLength(1)
    },
  )

  test('of more than 64 KiB is sent with every request', async () => {
    const query = `${newDocument()} #${'x'.repeat(64 * 1024)}`
    expect((await ask({ query, ...named(query) })).errors).toBeUndefined()
    expect((await ask(named(query))).errors).toMatchObject(notFound)
  })
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

test.each(['0'.repeat(64), '__proto__', 'constructor'])(
  'the unknown hash %s is rejected',
  async (unknown) => {
    const { errors } = await askTrusted(trustedBy(unknown))
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('No trusted document has this hash'),
        extensions: { code: 'TRUSTED_DOCUMENT_NOT_FOUND' },
      },
    ])
  },
)
