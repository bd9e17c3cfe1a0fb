import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'

type Json = Record<string, unknown>
interface Operation extends Json {
  readonly operationId: string
  readonly responses: Record<string, Json>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> }
}

const document = openApiDocument('/') as unknown as {
  paths: Record<string, Record<string, Operation>>
}
const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'options'] as const
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) =>
    item[method] ? [{ path, method, name: item[method].operationId, operation: item[method] }] : [],
  ),
)
const seed = Number(process.env['FUZZ_SEED'] ?? 1)

const posthorn = await useTestApp({ role: 'api' })
let served: unknown

beforeAll(async () => {
  served = await (await fetch(`${posthorn.app.url}/openapi.json`)).json()
})

const ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: false, logger: false }))
ajv.addSchema({ $id: 'https://posthorn.test/openapi', ...document })

/** Compiles a schema whose references point into the document. */
function validator(schema: unknown): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://posthorn.test/openapi#/')),
  )
}

function resolve(part: Json): Json {
  const ref = part['$ref']
  if (typeof ref !== 'string') return part
  const steps = ref.slice(2).split('/')
  return steps.reduce((node, step) => node[step] as Json, document as unknown as Json)
}

/** Sends a request and checks the status, headers, media type and body of the response against the document. */
async function call(operation: Operation, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(posthorn.app.url + path, {
    method: method.toUpperCase(),
    ...init,
    headers: { authorization: `Bearer ${posthorn.tenant.token}`, ...(init.headers as object) },
  })
  const text = await response.text()
  const documented = operation.responses[response.status]
  expect(documented, `${response.status} is not documented: ${text}`).toBeDefined()
  const { content, headers } = resolve(documented as Json) as { content?: Json; headers?: Json }
  for (const name of Object.keys(headers ?? {})) {
    // The only optional headers.
    if (name === 'Link' || (name.startsWith('RateLimit') && response.status === 401)) continue
    expect(response.headers.get(name), name).not.toBeNull()
  }
  const [type] = (response.headers.get('content-type') ?? '').split(';')
  if (!content) expect(text).toBe('')
  else {
    const validate = validator((content[type as string] as Json)['schema'])
    expect(validate(JSON.parse(text)), `${text} ${ajv.errorsText(validate.errors)}`).toBe(true)
  }
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

async function newWebhook(): Promise<string> {
  const response = await posthorn.rest('POST', '/webhooks', {
    url: 'https://receiver.example/hooks',
    event_subscriptions: [JOINED],
  })
  return ((await response.json()) as { id: string }).id
}

const fill = (path: string, id: string) => path.replace('{webhook_id}', id)
const jsonBody = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/).map((name) => `X-${name}`)
const valid = {
  url: fc.tuple(fc.domain(), fc.webPath()).map(([domain, path]) => `https://${domain}${path}`),
  event_subscriptions: fc.array(fc.constantFrom(JOINED, TICKET), { minLength: 1, maxLength: 5 }),
  description: fc.option(
    fc.string({ unit: 'grapheme', maxLength: 100 }).filter((t) => !t.includes('\0')),
  ),
  enabled: fc.boolean(),
  headers: fc.option(
    fc
      .uniqueArray(fc.tuple(token, fc.stringMatching(/^[!-~]{1,40}$/)), {
        maxLength: 5,
        selector: ([name]) => name.toLowerCase(),
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
}
const bodies = {
  createWebhook: fc.record(valid, { requiredKeys: ['url', 'event_subscriptions'] }),
  updateWebhook: fc.record(valid, { requiredKeys: [] }),
}
const samples = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) =>
  fc.sample(arbitrary, { seed, numRuns })

test('the tests use the served document and cover all of its operations', () => {
  expect(served).toEqual(JSON.parse(JSON.stringify(document)))
  expect(operations.map(({ name }) => name).toSorted()).toEqual([
    'createWebhook',
    'deleteWebhook',
    'getSigningSecret',
    'getWebhook',
    'listWebhooks',
    'rotateSigningSecret',
    'updateWebhook',
  ])
})

describe.each(operations)('$name', ({ path, method, name, operation }) => {
  const schema = operation.requestBody?.content['application/json']?.schema
  const hasBody = schema !== undefined

  test('valid requests get the documented success', async () => {
    const runs = hasBody ? samples(bodies[name as 'createWebhook'], 60) : Array(3).fill(undefined)
    for (const body of runs) {
      if (hasBody) expect(validator(schema)(body), JSON.stringify(body)).toBe(true)
      const id = path.includes('{') ? await newWebhook() : ''
      const { status } = await call(
        operation,
        method,
        fill(path, id),
        hasBody ? jsonBody(body) : {},
      )
      expect(status, JSON.stringify(body)).toBeLessThan(300)
    }
  })

  if (!hasBody) return

  test('rejects every body that its schema rejects', async () => {
    const isValid = validator(schema)
    const fields = fc.constantFrom(
      'url',
      'event_subscriptions',
      'description',
      'enabled',
      'headers',
      'x',
    )
    const wrong = fc
      .tuple(bodies.createWebhook, fields, fc.jsonValue())
      .map(([body, field, value]) => ({
        ...body,
        [field]: value,
      }))
    const invalid = samples(wrong, 300).filter((body) => !isValid(body))
    expect(invalid.length).toBeGreaterThan(100)
    const id = path.includes('{') ? await newWebhook() : ''
    for (const body of invalid) {
      const { status } = await call(operation, method, fill(path, id), jsonBody(body))
      expect(status, JSON.stringify(body)).toBe(422)
    }
  })

  test.each([
    ['an empty text', '', 400],
    ['broken JSON', '{"url":', 400],
    ['an array', '[]', 400],
    ['more than 65,536 bytes', `{"url":"${'x'.repeat(70_000)}"}`, 413],
  ])('rejects %s as a body', async (_, body, expected) => {
    const id = path.includes('{') ? await newWebhook() : ''
    expect((await call(operation, method, fill(path, id), jsonBody(body))).status).toBe(expected)
    const asText = { headers: { 'content-type': 'text/plain' }, body: '{}' }
    expect((await call(operation, method, fill(path, id), asText)).status).toBe(415)
  })
})

test.each([
  ['limit=1', 200],
  ['limit=100', 200],
  ['limit=0', 422],
  ['limit=101', 422],
  ['limit=x', 422],
  ['limit=1&limit=2', 422],
  ['cursor=x', 422],
  ['cursor=wh_01h455vb4pex5vsknk084sn02q', 200],
  ['other=%00', 200],
])('?%s gets the documented %i', async (query, expected) => {
  const list = operations.find(({ name }) => name === 'listWebhooks')
  const { status } = await call(list?.operation as Operation, 'get', `${list?.path}?${query}`)
  expect(status).toBe(expected)
})
