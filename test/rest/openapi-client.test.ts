import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { requirePackages } from '../support/installed-packages.ts'

const GENERATOR = path.resolve('test/openapi-client/node_modules/.bin/openapi-typescript')
const TSC = path.resolve('node_modules/.bin/tsc')

const execute = promisify(execFile)

/** A TypeScript project with the types that openapi-typescript generates from a running server. */
let project: string

/** The errors of the compiler for statements that use the types of requests and responses. */
async function compile(statements: string): Promise<string> {
  const types = `
    import type { paths } from './posthorn.d.ts'
    type Webhooks = paths['/api/connect/v1/webhooks']
    type Webhook = paths['/api/connect/v1/webhooks/{webhook_id}']
    type Create = Webhooks['post']['requestBody']['content']['application/json']
    type Update = Webhook['put']['requestBody']['content']['application/json']
    type Read = Webhook['get']['responses'][200]['content']['application/json']
    type Conditions = NonNullable<Webhook['put']['parameters']['header']>`
  await writeFile(path.join(project, 'client.ts'), `${types}\n${statements}`)
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
  return await execute(TSC, [...options, '--module', 'nodenext', 'client.ts'], {
    cwd: project,
  }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

const MINIMAL = `url: 'https://receiver.example/hooks', event_subscriptions: ['event_attendee.joined_event']`

describe(
  'the types that openapi-typescript generates',
  await requirePackages('test/openapi-client'),
  () => {
    beforeAll(async () => {
      project = await mkdtemp(path.join(tmpdir(), 'posthorn-openapi-client-'))
      await using posthorn = await startTestApp({ role: 'api' })
      const { url } = posthorn.app
      await execute(GENERATOR, [
        `${url}/openapi.json`,
        '--output',
        path.join(project, 'posthorn.d.ts'),
      ])
    })
    afterAll(() => rm(project, { recursive: true }))

    test.each([
      ["the contract's minimal create", `export const body: Create = { ${MINIMAL} }`],
      [
        'a create with every field',
        `export const body: Create = { ${MINIMAL}, description: 'Doors', enabled: true, headers: { 'X-A': '1' } }`,
      ],
      [
        'a create with null for the defaults',
        `export const body: Create = { ${MINIMAL}, description: null, enabled: null, headers: null }`,
      ],
      ['an update of nothing', 'export const body: Update = {}'],
      ['an update of one field', 'export const body: Update = { enabled: false }'],
      [
        'an update with a webhook as it was read',
        'export const body = (webhook: Read): Update => ({ ...webhook, enabled: true })',
      ],
      [
        'fields of a webhook that are always there',
        'export const read = ({ id, enabled, updated_at }: Read): [string, boolean, string] => [id, enabled, updated_at]',
      ],
      ['a condition', `export const headers: Conditions = { 'If-Match': '"abc"' }`],
    ])('a TypeScript client compiles: %s', async (_what, statements) => {
      expect(await compile(statements)).toBe('')
    })

    test.each([
      [
        'a create without url',
        `export const body: Create = { event_subscriptions: ['event_attendee.joined_event'] }`,
        /Property 'url' is missing/,
      ],
      [
        'a create without event_subscriptions',
        `export const body: Create = { url: 'https://receiver.example' }`,
        /Property 'event_subscriptions' is missing/,
      ],
      [
        'a field that does not exist',
        `export const body: Create = { ${MINIMAL}, enabeld: true }`,
        /'enabeld' does not exist/,
      ],
    ])('a TypeScript client does not compile: %s', async (_what, statements, message) => {
      expect(await compile(statements)).toMatch(message)
    })
  },
)
