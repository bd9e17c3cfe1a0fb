import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { requirePackages } from '../support/installed-packages.ts'

const GENERATOR = path.resolve('test/openapi-client/node_modules/.bin/openapi-typescript')
const TSC = path.resolve('node_modules/.bin/tsc')

const execute = promisify(execFile)

const MINIMAL = `url: 'https://receiver.example/hooks', event_subscriptions: ['event_attendee.joined_event']`

/** What a client writes. The compiler also reports an error that it expects and does not find. */
const CLIENT = `
import type { paths } from './posthorn.d.ts'
type Webhooks = paths['/api/connect/v1/webhooks']
type Webhook = paths['/api/connect/v1/webhooks/{webhook_id}']
type Create = Webhooks['post']['requestBody']['content']['application/json']
type Update = Webhook['put']['requestBody']['content']['application/json']
type Read = Webhook['get']['responses'][200]['content']['application/json']
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
`

test(
  'a client compiles with the types that openapi-typescript generates, and not without what a webhook needs',
  await requirePackages('test/openapi-client'),
  async () => {
    const project = await mkdtemp(path.join(tmpdir(), 'posthorn-openapi-client-'))
    onTestFinished(() => rm(project, { recursive: true }))
    await using posthorn = await startTestApp({ role: 'api' })
    const types = path.join(project, 'posthorn.d.ts')
    await execute(GENERATOR, [`${posthorn.app.url}/openapi.json`, '--output', types])
    await writeFile(path.join(project, 'client.ts'), CLIENT)
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
    const errors = await execute(TSC, [...options, '--module', 'nodenext', 'client.ts'], {
      cwd: project,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(errors).toBe('')
  },
)
