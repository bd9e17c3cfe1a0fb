import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { WebhooksDocument } from './generated/graphql.ts'
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

const ask = async (body: object, key: string | null = tenant.token) =>
  readAnswer(await api.handle(request(key, body)))

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

  test('of another version of the protocol makes the client send its documents', async () => {
    const query = newDocument()
    const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED' }
    const error = { message: 'PersistedQueryNotSupported', extensions }
    expect((await ask(named(query, 2))).errors).toMatchObject([error])
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

  test('obeys the limits of documents', async () => {
    const deep = `{ ${'viewer { organization { '.repeat(20)} id ${'} }'.repeat(20)} }`
    await ask({ query: deep, ...named(deep) })
    expect((await ask(named(deep))).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED' } },
    ])
  })
})

const apollo = await requirePackages('test/apollo')

test(
  "Apollo's link sends the hash alone, and the document when a process does not know it",
  apollo,
  async () => {
    const { hashingClient } = await import('../apollo/apollo-clients.ts')
    const bodies: { query?: string }[] = []
    let { handle } = api
    const client = hashingClient(
      {
        url: 'http://127.0.0.1/graphql',
        token: tenant.token,
        fetch: async (url, init) => {
          bodies.push(JSON.parse(String(init?.body)))
          return await handle(new Request(url, init))
        },
      },
      sha256,
    )
    const list = async () => {
      const { data } = await client.query({ query: WebhooksDocument, fetchPolicy: 'network-only' })
      expect(data?.webhooks?.nodes).toEqual([])
      return bodies.splice(0).map(({ query }) => query !== undefined)
    }
    expect(await list()).toEqual([false, true])
    expect(await list()).toEqual([false])
    // Another process, or the same one after a restart.
    handle = createGraphqlHandler(api.deps)
    expect(await list()).toEqual([false, true])
  },
)
