import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { runCommand } from '../cli/run-command.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, testEnvironment } from '../support/app.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { FOREIGN_DOCUMENTS } from './foreign-documents.ts'

const receiver = await useResource(startReceiver())
const posthorn = await useResource(startTestApp({ trustedAuthorities: [receiver.authority] }))
const folder = await mkdtemp(path.join(temporaryFolder(), 'posthorn foreign '))
const { organizationId } = posthorn.tenant
const { token } = await createApiKey(posthorn.database.prisma, { organizationId, scopes: SCOPES })
afterAll(async () => await rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runCommand(args, {
    ...testEnvironment(posthorn.database.url),
    ...{ PORT: new URL(posthorn.app.url).port, POSTHORN_API_KEY: token },
  })

const PUBLISH = `mutation ($type: String!, $dataText: String!) {
  publishEvent(input: { type: $type, dataText: $dataText }) {
    ... on PublishEventSuccess { publishedEvent { deliveryCount } }
    ... on UserError { message }
  }
}`
const publish = async (type: string, dataText: string) =>
  (await posthorn.graphql(PUBLISH, { type, dataText })).publishEvent

const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    ... on CreateWebhookSuccess { webhook { id signingSecret { key } } }
    ... on UserError { message }
  }
}`

test.each(FOREIGN_DOCUMENTS)(
  '%s: imported, published to, selected from and verified',
  async (_shape, { text, options = [], types, refused = [], warnings = [], ...tried }) => {
    const [type = ''] = types
    const written = path.join(folder, `${type}.json`)
    await writeFile(written, text)
    const imported = await run('event-type', 'import', written, '--json', ...options)
    expect(imported.stderr).toBe('')
    const result = JSON.parse(imported.stdout)
    expect(result).toMatchObject({ written: true })
    expect(result.changes.map(({ name }: { name: string }) => name)).toEqual(types.toSorted())
    for (const [found, expected] of [
      [result.refused, refused],
      [result.warnings, warnings],
    ]) {
      expect(found).toHaveLength(expected.length)
      for (const [i, pattern] of expected.entries())
        expect(JSON.stringify(found[i])).toMatch(pattern)
    }

    const { rows } = await posthorn.database.pool.query<{ example: string }>(
      'select example::text from posthorn.event_types where name = $1',
      [type],
    )
    const { example = '' } = rows[0] ?? {}
    for (const data of [example, ...tried.accepts]) {
      expect(await publish(type, data), data).toEqual({ publishedEvent: { deliveryCount: 0 } })
    }
    for (const data of tried.refuses) {
      const { message } = await publish(type, data)
      expect(message, data).toContain('does not match the schema')
    }

    const [selection, selected] = tried.selection
    const input = { url: receiver.url, enabled: true, eventSubscriptions: [type], selection }
    const { createWebhook: created } = await posthorn.graphql(CREATE, { input })
    expect(created.message).toBeUndefined()
    receiver.clear()
    await publish(type, example)
    const { body, headers } = await receiver.arrival(1)
    expect(JSON.parse(String(body)).data).toEqual(selected)
    const { key } = created.webhook.signingSecret
    expect(await verify(body, headers as Record<string, string>, key)).toMatchObject({ ok: true })
  },
)

test(
  'the document that Posthorn serves of all of them is read by generators of clients',
  await requirePackages('test/openapi-client'),
  async () => {
    const file = path.join(folder, 'served.json')
    const served = await fetch(`${posthorn.app.url}/openapi.json`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await writeFile(file, await served.text())
    const programs = path.resolve('test/openapi-client/node_modules/.bin')
    const execute = promisify(execFile)
    const types = path.join(folder, 'served.d.ts')
    await execute(path.join(programs, 'openapi-typescript'), [file, '--output', types])
    expect(await readFile(types, 'utf8')).toContain('foreign_b.authorised')
    const { validate } = await import(
      path.resolve('test/openapi-client/node_modules/@apidevtools/swagger-parser')
    )
    expect(await validate(file)).toHaveProperty(['webhooks', 'foreign_b.authorised'])
    const bundled = path.join(folder, 'bundled.json')
    await execute(path.join(programs, 'redocly'), ['bundle', file, '--output', bundled])
    expect(JSON.parse(await readFile(bundled, 'utf8')).webhooks).toHaveProperty(
      'foreign_b.authorised',
    )
  },
)
