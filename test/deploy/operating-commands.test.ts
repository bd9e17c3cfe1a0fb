import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/client.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { needs } from '../support/left-out.ts'
import { PROGRAM } from '../support/posthorn-process.ts'
import {
  blockOf,
  quoted,
  ROOT,
  runCommands,
  withReplaced,
  writePrograms,
} from './command-blocks.ts'

/* The commands of docs/operate/operating.md, but for its roles, which roles.test.ts creates, and its proxies. */

let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-operating-'))
  const programs = await writePrograms(path.join(folder, 'programs'), {
    npx: `[ "$1" = posthorn ]; shift; exec ${quoted(process.execPath)} ${quoted(PROGRAM)} "$@"`,
  })
  env = { PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH']}` }
})
afterAll(async () => await rm(folder, { recursive: true }))

const run = (text: string) => runCommands(text, { cwd: folder, env })

describe('with a Postgres of your own', needs('openssl'), () => {
  let database: Database

  beforeAll(async () => {
    database = await createTestDatabase()
    const block = blockOf('operating.md', '$(openssl rand -base64 32)')
    await run(withReplaced(block, { 'postgres://posthorn:…@db.internal/posthorn': database.url }))
  })
  afterAll(async () => await database[Symbol.asyncDispose]())

  test('.env gets a key of 32 bytes', async () => {
    const { POSTHORN_ENCRYPTION_KEYS: key = '' } = parseEnv(
      await readFile(path.join(folder, '.env'), 'utf8'),
    )
    expect(Buffer.from(key, 'base64')).toHaveLength(32)
  })

  test('the first organization and key are created, and the key of a role', async () => {
    const printed = await run(blockOf('operating.md', 'npx posthorn organization create'))
    const [organization = ''] = /org_\w+/.exec(printed) ?? []
    expect(printed).toMatch(/phk_\w+/)
    const role = blockOf('operating.md', '--name Support')
    expect(await run(withReplaced(role, { 'org_…': organization }))).toMatch(/phk_\w+/)
    const { rows } = await database.pool.query('select name from posthorn.api_keys order by id')
    expect(rows.map(({ name }) => name)).toContain('Support')
    await expect(run(withReplaced(role, { 'org_…': 'org_x' }))).rejects.toThrow(
      /There is no organization "org_x"/,
    )
  })

  test('the commands in sentences run', async () => {
    const page = await readFile(path.join(ROOT, 'docs/operate/operating.md'), 'utf8')
    const commands = [...page.matchAll(/`(npx posthorn [^`\n]+)`/g)].map(([, one = '']) => one)
    expect(commands).toContain('npx posthorn key rotate-encryption')
    await using posthorn = await startTestApp({ role: 'api', database })
    const { prisma } = database
    const { organizationId } = posthorn.tenant
    const { token } = await createApiKey(prisma, { organizationId, scopes: ['admin'] })
    const { port } = new URL(posthorn.app.url)
    const caller = { cwd: folder, env: { ...env, PORT: port, POSTHORN_API_KEY: token } }
    for (const command of commands) expect(await runCommands(command, caller)).not.toBe('')
  })
})

test.each([
  blockOf('operating.md', 'sslmode=verify-full'),
  blockOf('operating.md', 'POSTHORN_WORKER_SCHEMA=posthorn_worker'),
  blockOf('operating.md', 'POSTHORN_DIRECT_DATABASE_URL=postgres'),
  blockOf('operating.md', 'POSTHORN_PUBLIC_URL=https'),
])('settings are the same in a shell as in .env, and valid: %s', async (block) => {
  const settings = parseEnv(block) as Record<string, string>
  expect(Object.keys(settings)).not.toEqual([])
  const shell = await run(`set -a\n${block}\nset +a\nnode -p 'JSON.stringify(process.env)'`)
  expect(JSON.parse(shell)).toMatchObject(settings)
  const required = {
    DATABASE_URL: 'postgres://posthorn@127.0.0.1/posthorn',
    POSTHORN_ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
  }
  const used = Object.entries(settings).map(([name, value]) => [name, value.replace('…', 'secret')])
  expect(() => loadConfig({ ...required, ...Object.fromEntries(used) })).not.toThrow()
  const [name = ''] = Object.keys(settings)
  expect(() => loadConfig({ ...required, ...settings, [name]: '\u0000' })).toThrow()
})
