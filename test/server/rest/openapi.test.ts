import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../../src/server/rest/connect-v1/openapi.ts'
import { requirePackages } from '../../support/installed-packages.ts'
import { useFolder } from '../../support/use-folder.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
const document = openApiDocument('https://posthorn.example.org/') as any

const installed = await requirePackages('test/openapi-client')
const programs = path.resolve('test/openapi-client/node_modules/.bin')
const execute = promisify(execFile)
const folder = await useFolder('openapi')
const file = path.join(folder, 'openapi.json')
await writeFile(file, JSON.stringify(document))

test(
  "the OpenAPI document passes Redocly's recommended rules without an error or a warning",
  installed,
  async () => {
    const options = ['--extends', 'recommended', '--format', 'json']
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
    const { stdout, stderr } = await execute(
      path.join(programs, 'redocly'),
      ['lint', file, ...options],
      { env: { ...process.env, ...quiet } },
    )
    expect(JSON.parse(stdout).totals, stderr).toEqual({ errors: 0, warnings: 0, ignored: 0 })
  },
)

test('the OpenAPI document describes every error status of each operation', () => {
  const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
    Object.entries(methods as object).map(([method, { responses }]) => ({
      ...{ at, method, statuses: Object.keys(responses) },
    })),
  )
  expect(operations).toHaveLength(8)
  for (const { at, method, statuses } of operations) {
    const some = at.includes('{webhook_id}') ? ['404'] : []
    const hasBody = method === 'put' || (method === 'post' && /\/(webhooks|events)$/.test(at))
    if (hasBody) some.push('400', '413', '415', '422')
    const all = ['401', '403', '405', '429', '500', '503', ...some]
    expect(statuses, `${method} ${at}`).toEqual(expect.arrayContaining(all))
  }
})

const MINIMAL = `url: 'https://receiver.example/hooks', event_subscriptions: ['event_attendee.joined_event']`

/** What a client writes. The compiler also reports an error that it expects and does not find. */
const CLIENT = `
import type { paths } from './posthorn.d.ts'
type Webhooks = paths['/api/connect/v1/webhooks']
type Webhook = paths['/api/connect/v1/webhooks/{webhook_id}']
type Create = Webhooks['post']['requestBody']['content']['application/json']
type Update = Webhook['put']['requestBody']['content']['application/json']
type Read = Webhook['get']['responses'][200]['content']['application/json']
type Publish = paths['/api/events/v1/events']['post']
type Published = Publish['responses'][201]['content']['application/json']
type Conditions = NonNullable<Webhook['put']['parameters']['header']>
export const creates: Create[] = [
  { ${MINIMAL} },
  { ${MINIMAL}, description: 'Doors', enabled: true, headers: { 'X-A': '1' } },
  { ${MINIMAL}, description: null, enabled: null, headers: null },
  // @ts-expect-error A create needs a url.
  { event_subscriptions: ['event_attendee.joined_event'] },
  // @ts-expect-error A create needs event_subscriptions.
  { url: 'https://receiver.example' },
  // @ts-expect-error There is no such field.
  { ${MINIMAL}, enabeld: true },
]
export const updates: Update[] = [{}, { enabled: false }]
export const afterRead = (webhook: Read): Update => ({ ...webhook, enabled: true })
export const read = ({ id, enabled, updated_at }: Read): [string, boolean, string] => [id, enabled, updated_at]
export const headers: Conditions = { 'If-Match': '"abc"' }
export const events: Publish['requestBody']['content']['application/json'][] = [
  { type: 'order.paid', data: { order: 1 }, idempotencyKey: 'order-1' },
  // @ts-expect-error An event needs a type.
  { data: {} },
]
export const publish = ({ id, deliveryCount }: Published): [string, number] => [id, deliveryCount]
`

test(
  'a client compiles with the types that openapi-typescript generates, and not without what a webhook or an event needs',
  installed,
  async () => {
    const types = path.join(folder, 'posthorn.d.ts')
    await execute(path.join(programs, 'openapi-typescript'), [file, '--output', types])
    await writeFile(path.join(folder, 'client.ts'), CLIENT)
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
    const tsc = path.resolve('node_modules/.bin/tsc')
    const errors = await execute(tsc, [...options, '--module', 'nodenext', 'client.ts'], {
      cwd: folder,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(errors).toBe('')
  },
)
