import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createApiKey } from '../support/api-keys.ts'
import { testEnvironment, useTestApp } from '../support/app.ts'
import { useFolder } from '../support/use-folder.ts'
import { printedJson, refusal, runCommand } from './run-command.ts'

const posthorn = await useTestApp()
const folder = await useFolder('event types')
const { organizationId } = posthorn.tenant
const { token } = await createApiKey(posthorn.database.prisma, { organizationId, scopes: SCOPES })
/** With the database for `import` and `export`. */
const environment = {
  ...testEnvironment(posthorn.database.url),
  ...{ PORT: new URL(posthorn.app.url).port, POSTHORN_API_KEY: token },
}

const run = (...args: string[]) => runCommand(['event-type', ...args], environment)

const refused = (...args: string[]) => refusal(['event-type', ...args], environment)

const inFolder = (file: string) => path.join(folder, file)

const json = (...args: string[]) => printedJson(['event-type', ...args], environment)

const SCHEMA = '{ "type": "object", "properties": { "total": { "multipleOf": 0.10 }, "1": {} } }'

async function stored(name: string) {
  const { rows } = await posthorn.database.pool.query(
    'select schema::text, example::text, group_name as "group", search_keys as keys from posthorn.event_types where name = $1',
    [name],
  )
  return rows[0]
}

describe('posthorn event-type', () => {
  test('create and list, which leaves archived ones out', async () => {
    const name = 'order.paid'
    await writeFile(inFolder('schema.json'), `${SCHEMA}\n`)
    await writeFile(inFolder('example.json'), '{"total": 1.50}')
    const create = ['create', name, '--description', 'An order.', '--group', 'Orders']
    const files = ['--schema', inFolder('schema.json'), '--example', inFolder('example.json')]
    expect(await json(...create, ...files, '--search-key', '$.total')).toEqual({ name, version: 1 })
    expect(await stored(name)).toEqual({
      ...{ schema: SCHEMA, example: '{"total": 1.50}', group: 'Orders', keys: ['$.total'] },
    })
    expect(await refused(...create)).toMatch(/exists already/)

    expect((await run('list')).stdout).toMatch(/^order\.paid +1 +- +Orders +An order\.$/m)
    await posthorn.database.pool.query(
      'update posthorn.event_types set archived_at = now() where name = $1',
      [name],
    )
    const named = (types: { name: string }[]) => types.filter((one) => one.name === name)
    expect(named(await json('list'))).toEqual([])
    expect(named(await json('list', '--archived'))).toEqual([
      {
        ...{ name, description: 'An order.', group: 'Orders', version: 1, retention_days: null },
        ...{ search_keys: ['$.total'], archived_at: expect.stringMatching(/Z$/) },
      },
    ])
  })

  test('create refuses a schema that is not JSON', async () => {
    await writeFile(inFolder('broken.json'), '{')
    const create = ['create', 'order.broken', '--description', 'x']
    const options = ['--schema', inFolder('broken.json')]
    expect(await refused(...create, ...options)).toMatch(/broken\.json is not JSON/)
  })

  test('import of a folder, then of an export, which changes nothing', async () => {
    await mkdir(inFolder('schemas'))
    const schema = `{"title": "Refunded.", "x-group": "Orders", ${SCHEMA.slice(1)}`
    await writeFile(inFolder('schemas/order.refunded.json'), schema)
    await writeFile(inFolder('schemas/README.md'), '')
    expect(await json('import', inFolder('schemas'), '--dry-run')).toMatchObject({
      changes: [{ name: 'order.refunded', change: 'added', fields: [], findings: [] }],
      written: false,
    })
    const imported = await run('import', inFolder('schemas'))
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toBe('+ order.refunded added\nEvent types: 1 added, 0 unchanged.\n')
    expect(await stored('order.refunded')).toMatchObject({ schema, group: 'Orders' })

    const { exported } = await json('export', inFolder('catalogue.json'))
    const again = await json('import', inFolder('catalogue.json'), '--archive-missing')
    expect(again).toMatchObject({ changes: [], unchanged: exported, refused: [], written: false })
    expect((await run('export')).stdout).toBe(await readFile(inFolder('catalogue.json'), 'utf8'))
  })

  test('import with findings ends with exit code 3, writes nothing, and needs --force', async () => {
    const { prisma } = posthorn.database
    const name = 'order.changed'
    await createEventType(prisma, { name, description: 'x', schema: { type: 'object' } }, SYSTEM)
    await posthorn.graphql(
      `mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }`,
      { input: { type: name, data: { total: 'many' } } },
    )
    const schema = { type: 'object', properties: { total: { type: 'number' } } }
    const type = { name, description: 'x', schema }
    await writeFile(inFolder('next.json'), JSON.stringify({ eventTypes: [type] }))
    const finding = {
      kind: 'refuses_accepted',
      message: expect.stringMatching(/refuses 1 of the only event.*\/total must be number/),
      remedy: expect.any(String),
      event_id: expect.stringMatching(/^evt_/),
    }
    for (const options of [['--dry-run'], []]) {
      const { code, stdout } = await run('import', inFolder('next.json'), '--json', ...options)
      expect(code).toBe(3)
      expect(JSON.parse(stdout)).toMatchObject({
        changes: [{ name, change: 'changed', fields: ['schema'], findings: [finding] }],
        unchanged: 0,
        written: false,
      })
    }
    const shown = await run('import', inFolder('next.json'))
    expect(shown.stdout).toMatch(
      /^~ order\.changed changed: schema\n {4}refuses_accepted: The schema refuses 1 of the only event, .*\n.*\nNothing was written\. Problems: 1\. .*--force\.\n$/,
    )
    const forced = await run('import', inFolder('next.json'), '--force')
    expect(forced).toMatchObject({ code: 0, stderr: '' })
    expect(await stored(name)).toMatchObject({ schema: JSON.stringify(schema) })
  })

  test.each([
    ['a folder without schemas', '.empty', /has no JSON Schemas/],
    ['a file that is not there', 'missing.json', /ENOENT/],
  ])('import of %s is an error', async (_case, source, error) => {
    await mkdir(inFolder('.empty'), { recursive: true })
    expect(await refused('import', inFolder(source))).toMatch(error)
  })
})
