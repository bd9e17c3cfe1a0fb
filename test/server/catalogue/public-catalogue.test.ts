import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

let posthorn: TestApp
beforeAll(async () => {
  posthorn = await startTestApp({
    role: 'api',
    environment: { POSTHORN_PUBLIC_CATALOGUE: 'true' },
  })
  await add('order.paid', 'An order was paid.', ORDER, '{"total":10.50}')
  await query(
    `update posthorn.event_types set group_name = 'Shop & more' where name = 'order.paid'`,
  )
  await add('posthorn.webhook.on_hold', 'Operational.')
  await add('order.lost', 'Archived.')
  await query(`update posthorn.event_types set archived_at = now() where name = 'order.lost'`)
  await add(
    'hostile.type',
    HOSTILE,
    JSON.stringify({ properties: { [HOSTILE]: { title: HOSTILE } } }),
    JSON.stringify({ a: HOSTILE }),
  )
})
afterAll(() => posthorn[Symbol.asyncDispose]())

const ORDER =
  '{"type":"object","required":["total"],"properties":{"total":{"type":"number","minimum":0.10,"description":"In euros."},"lines":{"type":"array","items":{"$ref":"#/$defs/line"}}},"$defs":{"line":{"type":"object","properties":{"sku":{"type":"string"}}}}}'
const HOSTILE =
  '<img src=x onerror=alert(1)>"\'|`[x](javascript:alert(1))\n# head & </style></code></pre>'
const PATHS = ['/event-types', '/event-types.json', '/event-types.md']

const query = (text: string, values: unknown[] = []) => posthorn.database.pool.query(text, values)
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${posthorn.app.url}${path}`, { headers })
const textOf = async (path: string) => await (await get(path)).text()

async function add(name: string, description: string, schema?: string, example?: string) {
  await query(
    'insert into posthorn.event_types (name, description, schema, example) values ($1, $2, $3, $4)',
    [name, description, schema ?? null, example ?? null],
  )
}

test.each(PATHS)('%s shows the event types that partners may have, without a key', async (path) => {
  const response = await get(path)
  const text = await response.text()
  expect(response.status).toBe(200)
  expect(text).toContain('order.paid')
  expect(text).toContain(JOINED)
  expect(text).toContain('10.50')
  expect(text).not.toContain('posthorn.webhook')
  expect(text).not.toContain('order.lost')
})

test('a group has its event types, after those without a group', async () => {
  const page = await textOf('/event-types')
  expect(page).toContain('<h2>Shop &amp; more</h2>')
  expect(page.indexOf('href="#order.paid"')).toBeGreaterThan(page.indexOf('<h2>Shop'))
  expect(page.indexOf(`href="#${JOINED}"`)).toBeLessThan(page.indexOf('<h2>Shop'))
  const markdown = await textOf('/event-types.md')
  expect(markdown).toContain('## Shop \\& more\n\n### `order.paid`')
  expect(markdown.indexOf(JOINED)).toBeLessThan(markdown.indexOf('## Shop'))
  const openApi = await (await get('/openapi.json')).json()
  expect(openApi.webhooks['order.paid'].post['x-group']).toBe('Shop & more')
  expect(openApi.webhooks[JOINED].post).not.toHaveProperty('x-group')
})

test('the JSON has the schemas and the examples to the letter', async () => {
  const text = await textOf('/event-types.json')
  expect(text).toContain(`"schema":${ORDER},"example":{"total":10.50}`)
  const { eventTypes, receiving } = JSON.parse(text)
  expect(receiving).toEqual({
    sender: null,
    headers: { id: 'wh-id', timestamp: 'wh-timestamp', signature: 'wh-signature', test: 'wh-test' },
    signature: { version: 'v1', algorithm: 'HMAC-SHA256', toleranceSeconds: 300 },
    timeoutSeconds: 15,
    retryScheduleSeconds: [0.1, 0.1, 0.1],
    egressAddresses: [],
  })
  expect(Object.keys(eventTypes[0])).toEqual(['name', 'group', 'description', 'schema', 'example'])
})

test('the Markdown has the fields as a table, the example, and a receiver', async () => {
  const text = await textOf('/event-types.md')
  expect(text).toContain('| `total` | number | yes | In euros. at least 0.1 |')
  expect(text).toContain('| `lines[].sku` | string | no |  |')
  expect(text).toContain('```json\n{\n  "total": 10.50\n}\n```')
  expect(text).toContain("from '@posthorn/receiver'")
})

test('the page has the fields as a table, the example, and a receiver', async () => {
  const text = await textOf('/event-types')
  expect(text).toContain(
    '<td><code>total</code><span class="required">required</span></td><td>number</td>',
  )
  expect(text).toContain('In euros.')
  expect(text).toContain('verify(body, request.headers, secret)')
})

describe('a description, a field and an example that look like markup', () => {
  test('are text on the page', async () => {
    const text = await textOf('/event-types')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('<img')
    expect(text.match(/<\/style>/g)).toHaveLength(1)
  })

  test('are text in the Markdown', async () => {
    const text = await textOf('/event-types.md')
    expect(text).not.toMatch(/^# head/m)
    const [, section = ''] = text.split('### `hostile.type`')
    const [description = '', ...rest] = section.trim().split('\n')
    expect(description).toBe(
      String.raw`\<img src=x onerror=alert(1)\>"'\|\`\[x\](javascript:alert(1)) \# head \& \</style\>\</code\>\</pre\>`,
    )
    // Each row of the table is one line with four cells.
    for (const row of rest.filter((line) => line.startsWith('|'))) {
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
    }
  })
})

test('the page may run no script, and its policy has the style of the page', async () => {
  const response = await get('/event-types')
  const text = await response.text()
  const policy = response.headers.get('content-security-policy') ?? ''
  const [, style = ''] = text.match(/<style>(.*)<\/style>/s) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`style-src 'sha256-${hash}'`)
  expect(policy).not.toMatch(/script|unsafe/)
  expect(text).not.toContain('<script')
  expect(text).not.toContain('style=')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('x-frame-options')).toBe('DENY')
})

test.each(PATHS)('%s is sent once to a client, and again after a change', async (path) => {
  // The change of an earlier test may show within a second.
  let tag = ''
  await until(async () => {
    const { headers } = await get(path)
    expect(headers.get('cache-control')).toBe('no-cache')
    tag = headers.get('etag') as string
    return (await get(path, { 'if-none-match': tag })).status === 304
  }, 'the document stays the same')
  await query(`update posthorn.event_types set description = description || '.' where name = $1`, [
    JOINED,
  ])
  await until(
    async () => (await get(path, { 'if-none-match': tag })).status === 200,
    'the change is there',
  )
})

describe('with a header prefix', () => {
  test('the receiver has it', async () => {
    await using acme = await startTestApp({
      role: 'api',
      environment: { POSTHORN_PUBLIC_CATALOGUE: 'true', POSTHORN_HEADER_PREFIX: 'acme-' },
    })
    for (const path of ['/event-types', '/event-types.md']) {
      const text = await (await fetch(`${acme.app.url}${path}`)).text()
      expect(text.replaceAll('&#39;', "'")).toContain("secret, { headerPrefix: 'acme-' })")
      expect(text.replaceAll('&quot;', '"')).toContain('headers.get("acme-id")')
      expect(text).toContain('HTTP_ACME_SIGNATURE')
      expect(text).not.toMatch(/wh-id|HTTP_WH_/)
    }
  })
})

test('an empty catalogue says so', async () => {
  await using empty = await startTestApp({
    role: 'api',
    environment: { POSTHORN_PUBLIC_CATALOGUE: 'true' },
  })
  await empty.database.pool.query('update posthorn.event_types set archived_at = now()')
  for (const path of ['/event-types', '/event-types.md']) {
    expect(await (await fetch(`${empty.app.url}${path}`)).text()).toContain('no event types yet')
  }
  const json = await (await fetch(`${empty.app.url}/event-types.json`)).json()
  expect(json.eventTypes).toEqual([])
})

test('without the setting, there is nothing', async () => {
  await using closed = await startTestApp({ role: 'api' })
  const unknown = await fetch(`${closed.app.url}/no-such-path`)
  for (const path of PATHS) {
    const response = await fetch(`${closed.app.url}${path}`)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe(unknown.headers.get('content-type'))
    expect(await response.text()).not.toContain(JOINED)
  }
})
