import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRoleDatabase } from '../security/role-database.ts'
import { testEnvironment } from '../support/app.ts'
import { ignoreBrokenPipe } from '../support/broken-pipe.ts'
import { createTestDatabase } from '../support/database.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { PROGRAM, type ProcessOptions, runPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import {
  configure,
  createInstallation,
  type Installation,
} from '../transfer/support/installation.ts'

const PASSPHRASE = 'correct horse battery'
const SECRET = { POSTHORN_EXPORT_PASSPHRASE: PASSPHRASE }

let folder: string
let file: string
let source: Installation
let encryptionKey: string
let environment: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn transfer '))
  file = path.join(folder, 'posthorn.export')
  const { POSTHORN_ENCRYPTION_KEYS = '' } = testEnvironment('')
  encryptionKey = POSTHORN_ENCRYPTION_KEYS
  source = await createInstallation([Buffer.from(encryptionKey, 'base64')])
  await configure(source)
  environment = testEnvironment(source.database.url)
  const { code, stderr } = await posthorn(['export', file], SECRET)
  expect(code, stderr).toBe(0)
})
afterAll(async () => {
  await source[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const COUNTS = { organizations: 2, event_types: 4, webhooks: 2, api_keys: 3 }

describe('posthorn export', () => {
  test('writes a file that only its owner can read, and says what is in it', async () => {
    const name = path.join(folder, 'other.export')
    const { code, stdout, stderr } = await posthorn(['export', name, '--json'], SECRET)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ exported: COUNTS })
    expect((await stat(name)).mode & 0o077).toBe(0)
    expect(await readFile(name, 'utf8')).not.toContain('example.com')
  })

  test('does not overwrite a file, and asks for no passphrase first', async () => {
    expect(await posthorn(['export', file])).toMatchObject({
      code: 1,
      stderr: `error: The file ${file} exists. Give the name of a new one.\n`,
    })
  })

  test.each([
    [
      'without a passphrase and a terminal',
      [],
      {},
      /Set POSTHORN_EXPORT_PASSPHRASE, or give --pas/,
    ],
    ['with a short one', [], { POSTHORN_EXPORT_PASSPHRASE: 'short' }, /fewer than 12 characters/],
    [
      'with a file that is missing',
      ['--passphrase-file', '/none'],
      {},
      /\/none cannot be read \(ENOENT/,
    ],
    ['with a file that is empty', ['--passphrase-file', '/dev/null'], {}, /\/dev\/null is empty/],
    ['with --json and no file', ['--json'], SECRET, /--json needs a file/],
    ['with a passphrase as an option', ['--passphrase', 'x'], {}, /unknown option '--passphrase'/],
  ])('%s is an error', async (_case, args, variables, error) => {
    const { code, stdout, stderr } = await posthorn(['export', ...args], variables)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(error)
  })
})

test('the role of the service is enough; without a privilege, the error names the table and the remedy', async () => {
  await using roles = await createRoleDatabase()
  const migrated = await runPosthorn(['migrate', '--service-role', roles.service], {
    environment: testEnvironment(roles.asOwner.url),
  })
  expect(migrated.code, migrated.stderr).toBe(0)
  const options = { environment: { ...testEnvironment(roles.asService.url), ...SECRET } }
  const denied = (table: string) =>
    `error: permission denied for table ${table}. Set DATABASE_URL to the role of the service, or to the owner of the tables.\n`

  await roles.asOwner.pool.query(`revoke insert on posthorn.webhooks from ${roles.service}`)
  const refused = await runPosthorn(['import', file], options)
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: denied('webhooks') })
  expect(await roles.asOwner.prisma.organization.count()).toBe(0)
  await roles.asOwner.pool.query(`grant insert on posthorn.webhooks to ${roles.service}`)
  expect(await runPosthorn(['import', file], options)).toMatchObject({ code: 0 })
  expect(await runPosthorn(['export'], options)).toMatchObject({ code: 0 })
  await roles.asOwner.pool.query(`revoke select on posthorn.api_keys from ${roles.service}`)
  expect(await runPosthorn(['export'], options)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: denied('api_keys'),
  })
})

describe('posthorn import', () => {
  test('into the embedded database and back to another one, through pipes, loses nothing', async () => {
    const embedded = {
      environment: { ...SECRET, POSTHORN_DATA_DIR: path.join(folder, 'data'), PORT: '0' },
      cwd: folder,
    }
    const imported = await runPosthorn(['import', file, '--json'], embedded)
    expect(JSON.parse(imported.stdout), imported.stderr).toEqual({
      created: { ...COUNTS, event_types: 2 },
      replaced: { event_types: 0 },
      unchanged: { organizations: 0, event_types: 2, webhooks: 0, api_keys: 0 },
      differences: [],
      written: true,
    })
    const back = await runPosthorn(['export'], embedded)
    expect(back.stderr).toBe(
      'Exported 2 organizations, 4 event types, 2 webhooks and 3 API keys.\n',
    )
    await using other = await createInstallation([Buffer.from(encryptionKey, 'base64')])
    const { code, stdout } = await runPosthorn(['import', '-'], {
      environment: { ...testEnvironment(other.database.url), ...SECRET },
      input: back.stdout,
    })
    expect([code, stdout]).toEqual([
      0,
      'Created 2 organizations, 2 event types, 2 webhooks and 3 API keys.\nUnchanged: 0 organizations, 2 event types, 0 webhooks and 0 API keys.\n',
    ])
    const { eventTypes: _, ...expected } = await source.contents()
    expect(await other.contents()).toMatchObject(expected)
  })

  test('of an export into its own installation changes nothing', async () => {
    const passphraseFile = path.join(folder, 'passphrase')
    await writeFile(passphraseFile, `${PASSPHRASE}\n`)
    const { code, stdout } = await posthorn(['import', file, '--passphrase-file', passphraseFile])
    expect([code, stdout]).toEqual([
      0,
      'Created 0 organizations, 0 event types, 0 webhooks and 0 API keys.\nUnchanged: 2 organizations, 4 event types, 2 webhooks and 3 API keys.\n',
    ])
  })

  test('lists differences and fails; with --json also on standard output', async () => {
    await using other = await createInstallation([Buffer.from(encryptionKey, 'base64')])
    const options = { environment: { ...testEnvironment(other.database.url), ...SECRET } }
    const checked = await runPosthorn(['import', file, '--check'], options)
    expect(checked.stdout).toMatch(/^The import would create 2 organizations/)
    expect((await other.contents()).organizations).toEqual([])
    expect((await runPosthorn(['import', file, '--disabled'], options)).code).toBe(0)
    const { code, stdout, stderr } = await runPosthorn(['import', file, '--json'], options)
    expect(code).toBe(1)
    const [webhook] = (await source.contents()).webhooks
    expect(JSON.parse(stdout)).toMatchObject({
      differences: [{ id: webhook?.id, field: 'enabled', file: true, database: false }],
      written: false,
    })
    expect(stderr).toContain(`  ${webhook?.id} enabled: false here, true in the file\n`)
  })

  test.each([
    [
      'no encryption key',
      { ...SECRET, POSTHORN_ENCRYPTION_KEYS: '' },
      78,
      /POSTHORN_ENCRYPTION_KEYS is required/,
    ],
    [
      'a key that the stored secrets do not have',
      { ...SECRET, POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64') },
      1,
      /POSTHORN_ENCRYPTION_KEYS lacks the key/,
    ],
  ])('with %s is an error, and writes nothing', async (_case, variables, exitCode, error) => {
    const { code, stdout, stderr } = await posthorn(['import', file], variables)
    expect([code, stdout]).toEqual([exitCode, ''])
    expect(stderr).toMatch(error)
  })

  test('of a file that is missing is an error', async () => {
    const { code, stderr } = await posthorn(['import', path.join(folder, 'none.export')], SECRET)
    expect(code).toBe(1)
    expect(stderr).toMatch(/ENOENT/)
  })

  test('of a webhook that the API would reject is an error, and writes nothing', async () => {
    await using database = await createTestDatabase()
    const name = path.join(folder, 'local.export')
    await exportWithLocalWebhook(name)
    const { code, stderr } = await runPosthorn(['import', name], {
      environment: { ...testEnvironment(database.url), ...SECRET, POSTHORN_EGRESS_ALLOW: '' },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/webhooks\[0\]\.url/)
    expect(await database.prisma.organization.count()).toBe(0)
  })
})

/** As a person leaves a trial: with the webhook of a receiver on the same machine. */
async function exportWithLocalWebhook(name: string): Promise<void> {
  await using trial = await createInstallation([Buffer.from(encryptionKey, 'base64')])
  await configure(trial)
  await trial.database.pool.query(
    `update posthorn.webhooks set url = 'https://localhost:9443/' where deleted_at is null`,
  )
  const { code, stderr } = await runPosthorn(['export', name], {
    environment: { ...testEnvironment(trial.database.url), ...SECRET },
  })
  expect(code, stderr).toBe(0)
}

describe('on a terminal', needs('script'), () => {
  test('the passphrase is asked for twice and not shown', async () => {
    const name = path.join(folder, 'typed.export')
    const typed = await type(['export', name], [`${PASSPHRASE}\r`, `${PASSPHRASE}\r`])
    expect(typed).toMatchObject({ code: 0 })
    expect(typed.stdout).toContain('Passphrase: \r\nPassphrase again: \r\n')
    expect(typed.stdout).not.toContain('horse')
    expect((await type(['import', name], [`${PASSPHRASE}\r`])).stdout).toContain('Unchanged: 2 org')
  })

  test('two different passphrases, or Ctrl+C, are an error', async () => {
    const name = path.join(folder, 'mistyped.export')
    const mistyped = await type(['export', name], [`${PASSPHRASE}\r`, 'another\r'])
    expect(mistyped).toMatchObject({ code: 1 })
    expect(mistyped.stdout).toContain('The two passphrases differ.')
    const canceled = await type(['export', name], ['\x03'])
    expect(canceled).toMatchObject({ code: 1 })
    expect(canceled.stdout).toContain('error: Canceled.')
  })

  /** Types each line when the program asks for it. */
  async function type(args: readonly string[], lines: readonly string[]) {
    const command = [process.execPath, PROGRAM, ...args].map((arg) => `'${arg}'`).join(' ')
    const terminal = spawn(programPath('script'), ['-qec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], NO_COLOR: '1', ...environment },
    })
    terminal.stdin.on('error', ignoreBrokenPipe)
    let stdout = ''
    terminal.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    const ended = once(terminal, 'close')
    for (const [index, line] of lines.entries()) {
      const asked = () => stdout.split(/Passphrase[^:]*: /).length - 1 > index
      await until(() => asked() || terminal.exitCode !== null, `it asks: ${stdout}`)
      terminal.stdin.write(line)
    }
    const [code] = await ended
    return { code, stdout }
  }
})

async function posthorn(args: string[], variables: object = {}, options: ProcessOptions = {}) {
  return await runPosthorn(args, { ...options, environment: { ...environment, ...variables } })
}
