import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { SCOPES } from '../../src/access/scope.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let posthorn: TestApp
let folder: string
let server: readonly string[]
let token: string

beforeAll(async () => {
  posthorn = await startTestApp()
  folder = await mkdtemp(path.join(temporaryFolder(), 'posthorn event types '))
  const { prisma } = posthorn.database
  const { organizationId } = posthorn.tenant
  token = (await createApiKey(prisma, { organizationId, scopes: SCOPES })).token
  server = ['--server', posthorn.app.url]
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function run(...args: string[]) {
  const environment = { ...testEnvironment(posthorn.database.url), POSTHORN_API_KEY: token }
  return await runPosthorn(['event-type', ...args], { environment, cwd: folder })
}

async function json(...args: string[]) {
  const { stdout, stderr } = await run(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const SCHEMA = '{ "type": "object", "properties": { "total": { "multipleOf": 0.10 }, "1": {} } }'

async function stored(name: string) {
  const { rows } = await posthorn.database.pool.query(
    'select schema::text, example::text, group_name as "group", search_keys as keys from posthorn.event_types where name = $1',
    [name],
  )
  return rows[0]
}

describe('posthorn event-type', () => {
  test.each<[string, () => readonly string[]]>([
    ['the database', () => []],
    ['a server', () => server],
  ])('create, list, archive and unarchive: %s', async (_way, way) => {
    const name = way().length > 0 ? 'order.served' : 'order.stored'
    await writeFile(path.join(folder, 'schema.json'), `${SCHEMA}\n`)
    await writeFile(path.join(folder, 'example.json'), '{"total": 1.50}')
    const create = ['create', name, '--description', 'An order.', '--group', 'Orders', ...way()]
    const files = [
      '--schema',
      'schema.json',
      '--example',
      'example.json',
      '--search-key',
      '$.total',
    ]
    expect(await json(...create, ...files)).toEqual({ name, version: 1 })
    expect(await stored(name)).toEqual({
      schema: SCHEMA,
      example: '{"total": 1.50}',
      group: 'Orders',
      keys: ['$.total'],
    })
    const again = await run(...create)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/exists already/) })

    const { archived_at } = await json('archive', name, ...way())
    expect(archived_at).toMatch(/Z$/)
    const named = (types: { name: string }[]) => types.filter((one) => one.name === name)
    expect(named(await json('list', ...way()))).toEqual([])
    expect(named(await json('list', '--archived', ...way()))).toEqual([
      {
        name,
        description: 'An order.',
        group: 'Orders',
        version: 1,
        search_keys: ['$.total'],
        retention_days: null,
        archived_at,
      },
    ])
    expect(await json('unarchive', name, ...way())).toEqual({ name, archived_at: null })
    expect((await run('list', ...way())).stdout).toContain(`${name}  v1  Orders  "An order."\n`)
    expect(await run('archive', 'order.nothing', ...way())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is no event type/),
    })
  })

  test('create refuses a schema that is not JSON', async () => {
    await writeFile(path.join(folder, 'broken.json'), '{')
    const args = ['create', 'order.broken', '--description', 'x', '--schema', 'broken.json']
    expect(await run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/broken\.json is not JSON/),
    })
  })

  test('import of a folder, then of an export, which changes nothing', async () => {
    await mkdir(path.join(folder, 'schemas'))
    const schema = `{"title": "Refunded.", "x-group": "Orders", ${SCHEMA.slice(1)}`
    await writeFile(path.join(folder, 'schemas/order.refunded.json'), schema)
    await writeFile(path.join(folder, 'schemas/README.md'), '')
    expect(await json('import', 'schemas', '--dry-run')).toMatchObject({
      changes: [{ name: 'order.refunded', change: 'added', fields: [], findings: [] }],
      written: false,
    })
    const imported = await run('import', 'schemas')
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toBe('+ order.refunded added\nEvent types: 1 added, 0 unchanged.\n')
    expect(await stored('order.refunded')).toMatchObject({ schema, group: 'Orders' })

    const { exported } = await json('export', 'catalogue.json')
    expect(await json('import', 'catalogue.json', '--archive-missing')).toEqual({
      changes: [],
      unchanged: exported,
      written: false,
    })
    expect((await run('export')).stdout).toBe(
      await readFile(path.join(folder, 'catalogue.json'), 'utf8'),
    )
  })

  test('import with findings ends with exit code 3, writes nothing, and needs --force', async () => {
    const { prisma } = posthorn.database
    const name = 'order.changed'
    const schema = { type: 'object', properties: { total: { type: 'number' } } }
    await createEventType(prisma, { name, description: 'x', schema }, SYSTEM)
    const type = { name, description: 'x', schema: { type: 'object' } }
    await writeFile(path.join(folder, 'next.json'), JSON.stringify({ eventTypes: [type] }))
    const finding = {
      kind: 'breaks_receivers',
      message: '`total` was known, and goes away.',
      remedy: expect.any(String),
    }
    for (const options of [['--dry-run'], []]) {
      const { code, stdout } = await run('import', 'next.json', '--json', ...options)
      expect(code).toBe(3)
      expect(JSON.parse(stdout)).toEqual({
        changes: [{ name, change: 'changed', fields: ['schema'], findings: [finding] }],
        unchanged: 0,
        written: false,
      })
    }
    const shown = await run('import', 'next.json')
    expect(shown.stdout).toMatch(
      /^~ order\.changed changed: schema\n {4}breaks_receivers: `total` was known, and goes away\. .*\n.*\nNothing was written\. Problems: 1\. .*--force\.\n$/,
    )
    expect(await run('import', 'next.json', '--force')).toMatchObject({ code: 0, stderr: '' })
    expect(await stored(name)).toMatchObject({ schema: '{"type":"object"}' })
  })

  test.each([
    ['a folder without schemas', '.empty', /has no JSON Schemas/],
    ['a file that is not there', 'missing.json', /ENOENT/],
    ['another file', 'other.json', /other\.json is neither a file that/],
  ])('import of %s is an error', async (_case, source, error) => {
    await mkdir(path.join(folder, '.empty'), { recursive: true })
    await writeFile(path.join(folder, 'other.json'), '{"a":1}')
    const { code, stdout, stderr } = await run('import', source)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(error)
  })
})
