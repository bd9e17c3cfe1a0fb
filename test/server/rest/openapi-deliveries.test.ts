import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

const posthorn = await useTestApp({ role: 'api' })

const served = async (headers: Record<string, string> = {}) =>
  await fetch(`${posthorn.app.url}/openapi.json`, {
    headers: { authorization: `Bearer ${posthorn.tenant.token}`, ...headers },
  })
// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
const webhooks = async (): Promise<any> => (await (await served()).json()).webhooks
const query = (text: string, values: unknown[] = []) => posthorn.database.pool.query(text, values)

async function add(name: string, schema?: string, example?: string): Promise<void> {
  await query(
    `insert into posthorn.event_types (name, description, schema, example)
     values ($1, 'About ' || $1, $2, $3)
     on conflict (name) do update set schema = excluded.schema, example = excluded.example`,
    [name, schema ?? null, example ?? null],
  )
}

const ORDER = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shop.example/order.json',
  type: 'object',
  required: ['order', 'lines'],
  properties: {
    order: { type: 'integer' },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    parent: { $ref: '#' },
  },
  $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
}

const exact = '{"maximum":9007199254740993.10}'
await add('openapi.paid', JSON.stringify(ORDER), '{"order":1,"lines":[]}')
await add('openapi.counted', exact, '1.0')
await add('openapi.noted')
await until(async () => (await webhooks())['openapi.noted'], 'the types are documented')

describe('the OpenAPI document', () => {
  test('has one webhook for each event type, with its description, headers and example', async () => {
    const names = await query(
      'select name from posthorn.event_types where archived_at is null order by name',
    )
    const documented = await webhooks()
    expect(Object.keys(documented)).toEqual(names.rows.map(({ name }) => name))
    const { post } = documented[JOINED]
    expect(post).toMatchObject({
      operationId: 'receiveEventAttendeeJoinedEvent',
      summary: `Receive ${JOINED}`,
    })
    const parameters = ['wh-id', 'wh-timestamp', 'wh-signature', 'wh-test', 'traceparent']
    expect(post.parameters.map(({ name }: { name: string }) => name)).toEqual(parameters)
    const { rows } = await query(
      'select description, example from posthorn.event_types where name = $1',
      [JOINED],
    )
    const { example } = post.requestBody.content['application/json']
    expect(post.description).toBe(rows[0].description)
    expect(example).toMatchObject({ type: JOINED, data: rows[0].example })
  })

  test('has a schema that accepts the deliveries of its type, and no others', async () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'openapi', ...(await (await served()).json()) })
    const body = 'post/requestBody/content/application~1json/schema'
    const accepts = (event: object) =>
      ajv.validate(`openapi#/webhooks/openapi.paid/${body}`, {
        id: 'evt_1',
        type: 'openapi.paid',
        timestamp: '2026-01-01T00:00:00.000Z',
        data: { order: 1, lines: [{ sku: 'a' }] },
        ...event,
      })
    expect(accepts({})).toBe(true)
    expect(accepts({ type: 'openapi.refunded' })).toBe(false)
    expect(accepts({ data: { order: 1, lines: [{ sku: 1 }] } })).toBe(false)
    expect(accepts({ data: { order: 1, lines: [], parent: { order: 1 } } })).toBe(false)
    expect(accepts({ timestamp: 'yesterday' })).toBe(false)
  })

  test('lets the data be any JSON where the type has no schema', async () => {
    const content = (await webhooks())['openapi.noted'].post.requestBody.content['application/json']
    expect(content.schema.properties.data).toEqual({ description: expect.any(String) })
    expect(content).not.toHaveProperty('example')
  })

  test('keeps the numbers of schemas and examples to the letter', async () => {
    const text = await (await served()).text()
    expect(text).toContain('"data":{"maximum":9007199254740993.10}')
    expect(text).toContain('"data":1.0')
  })

  test('follows the catalogue without a restart, and its ETag with it', async () => {
    const tag = (await served()).headers.get('etag') as string
    const again = () => served({ 'if-none-match': tag })
    expect((await again()).status).toBe(304)

    await add('openapi.filled')
    await until(async () => (await webhooks())['openapi.filled'], 'the new type is documented')
    expect((await again()).status).toBe(200)

    // A change in SQL leaves the revision as it is.
    await query(
      `update posthorn.event_types set description = 'After' where name = 'openapi.filled'`,
    )
    await until(
      async () => (await webhooks())['openapi.filled'].post.description === 'After',
      'the change is documented',
    )
    await query(`update posthorn.event_types set archived_at = now() where name = 'openapi.filled'`)
    await until(async () => !(await webhooks())['openapi.filled'], 'the archived type is left out')
  })

  test('without a key describes deliveries in general, and rejects a wrong key', async () => {
    const response = await fetch(`${posthorn.app.url}/openapi.json`)
    expect(response.headers.get('vary')).toBe('authorization')
    const text = await response.text()
    expect(Object.keys(JSON.parse(text).webhooks)).toEqual(['delivery'])
    expect(text).not.toContain('openapi.paid')
    expect((await served({ authorization: 'Bearer phk_wrong' })).status).toBe(401)
  })
})
