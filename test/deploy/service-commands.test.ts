import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { VERSION } from '../../src/lib/version.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { findProgram, programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { logLine } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import {
  blockOf,
  quoted,
  ROOT,
  runCommands,
  withReplaced,
  writePrograms,
} from './command-blocks.ts'

/*
 * The commands of docs/operate/deploying.md for a package and for systemd, in a folder in place of /. There, npm installs
 * this clone, and systemctl only writes down its calls: only a machine that systemd started can run it.
 */
const ARCHIVE = `posthorn-${VERSION}.tgz`

let root: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'posthorn-service-'))
  const programs = await writePrograms(path.join(root, 'programs'), {
    npm: `
      if [ "$1" = pack ]; then exec ${quoted(programPath('npm'))} "$@" --dry-run --ignore-scripts; fi
      cd ${quoted(root)}
      [ "$*" = "install --prefix $PWD/opt/posthorn --omit=optional --ignore-scripts ./${ARCHIVE}" ]
      mkdir -p opt/posthorn/node_modules/.bin opt/posthorn/node_modules/posthorn
      ln -s ${quoted(path.join(ROOT, 'deploy'))} opt/posthorn/node_modules/posthorn/deploy
      ln -s ${quoted(path.join(ROOT, 'packages/posthorn/posthorn.js'))} opt/posthorn/node_modules/.bin/posthorn`,
    'systemd-sysusers': `exec ${quoted(findProgram('systemd-sysusers') ?? 'true')} --root=${quoted(root)}`,
    systemctl: `echo "$*" >> ${quoted(`${root}/systemctl`)}`,
  })
  env = { PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH']}`, HOME: root }
  await mkdir(path.join(root, 'etc'))
})
afterAll(async () => await rm(root, { recursive: true }))

/** With the folder in place of /. */
const inRoot = (text: string) =>
  text.replaceAll(/(?<=^|[\s=])\/(?=opt\/|etc\/)/g, () => `${quoted(root)}/`)

const run = (text: string) => runCommands(inRoot(text), { cwd: root, env })

test('npm packs the archive that the page names', async () => {
  const block = blockOf('deploying.md', 'npm pack --workspace posthorn    # writes')
  expect(await runCommands(block, { cwd: ROOT, env })).toContain(ARCHIVE)
  expect(block).toContain(`# writes ${ARCHIVE}`)
})

describe('a service of systemd', () => {
  let database: Database

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(async () => await database[Symbol.asyncDispose]())

  test('is installed with its unit and its user', async () => {
    await run(blockOf('deploying.md', 'npm install --prefix'))
    const unit = path.join(root, 'etc/systemd/system/posthorn.service')
    expect(await readFile(unit, 'utf8')).toContain('User=posthorn')
    expect((await stat(unit)).mode & 0o777).toBe(0o644)
  })

  test('gets its user', needs('systemd-sysusers'), async () => {
    expect(await readFile(path.join(root, 'etc/passwd'), 'utf8')).toMatch(/^posthorn:/m)
  })

  test('has secrets that only root can read', needs('openssl'), async () => {
    await run(blockOf('deploying.md', 'install -d -m 700 /etc/posthorn'))
    for (const name of ['database-url', 'encryption-keys', 'environment']) {
      expect((await stat(path.join(root, 'etc/posthorn', name))).mode & 0o777).toBe(0o600)
    }
    expect((await stat(path.join(root, 'etc/posthorn'))).mode & 0o777).toBe(0o700)
    const key = await readFile(path.join(root, 'etc/posthorn/encryption-keys'), 'utf8')
    expect(Buffer.from(key, 'base64')).toHaveLength(32)
  })

  test(
    'starts with these files, and the next commands make the first organization and its key',
    needs('openssl', 'curl'),
    async () => {
      await writeFile(path.join(root, 'etc/posthorn/database-url'), `${database.url}\n`)
      const { DATABASE_URL: _, POSTHORN_ENCRYPTION_KEYS: __, ...others } = testEnvironment('')
      await using service = startPosthorn(['start'], {
        environment: {
          ...others,
          ...(await readEnvironment()),
          DATABASE_URL_FILE: `${root}/etc/posthorn/database-url`,
          POSTHORN_ENCRYPTION_KEYS_FILE: `${root}/etc/posthorn/encryption-keys`,
          POSTHORN_LOG_LEVEL: 'info',
        },
      })
      const { url } = await logLine(service, { msg: 'ready' })
      const block = blockOf('deploying.md', 'systemctl enable --now posthorn')
      const written = await run(withReplaced(block, { 'http://127.0.0.1:4000': url }))
      expect(written).toMatch(/org_\w+[\s\S]*ph[a-z]*_\w+/)
      expect(await readFile(path.join(root, 'systemctl'), 'utf8')).toBe(
        'daemon-reload\nenable --now posthorn\n',
      )
      const { rows } = await database.pool.query('select name from posthorn.organizations')
      expect(rows).toEqual([{ name: 'My organization' }])

      const healthz = blockOf('runbook.md', '/healthz')
      expect(await run(withReplaced(healthz, { 'http://127.0.0.1:4000': url }))).toMatch(
        /^HTTP.* 200/,
      )
    },
  )

  test('has a primary whose clock can be compared', needs('psql'), async () => {
    env = { ...env, DATABASE_URL: database.url }
    expect(await run(blockOf('runbook.md', 'pg_is_in_recovery'))).toMatch(/^ f$/m)
    expect((await run(blockOf('runbook.md', 'clock_timestamp'))).trim().split('\n')).toHaveLength(2)
  })

  test(
    'takes the drop-in for another Node and another secret',
    needs('systemd-analyze'),
    async () => {
      const units = path.join(root, 'units')
      await mkdir(path.join(units, 'posthorn.service.d'), { recursive: true })
      await cp(
        path.join(ROOT, 'deploy/systemd/posthorn.service'),
        path.join(units, 'posthorn.service'),
      )
      const dropIn = withReplaced(blockOf('deploying.md', 'ExecStart=/usr/local/bin/node'), {
        '/usr/local/bin/node': '/bin/sh',
      })
      const verify = async (text: string) => {
        await writeFile(path.join(units, 'posthorn.service.d/override.conf'), text)
        const command = 'systemd-analyze verify --man=no posthorn.service 2>&1 || true'
        return await runCommands(command, {
          cwd: units,
          env: { ...env, SYSTEMD_UNIT_PATH: `${units}:` },
        })
      }
      expect(await verify(dropIn)).toBe('')
      // Without the empty line, there would be two programs.
      expect(await verify(withReplaced(dropIn, { 'ExecStart=\n': '' }))).toMatch(/more than one/)
    },
  )

  async function readEnvironment(): Promise<Record<string, string>> {
    const text = await readFile(path.join(root, 'etc/posthorn/environment'), 'utf8')
    return Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    )
  }
})
