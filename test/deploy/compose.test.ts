import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import { startTestApp } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { programPath, runProgram } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const FILE = path.join(DEPLOY, 'compose.yaml')
const execute = promisify(execFile)

const VARIABLES = {
  POSTGRES_PASSWORD: 'a',
  OWNER_PASSWORD: 'b',
  SERVICE_PASSWORD: 'c',
  DASHBOARDS_PASSWORD: 'd',
  POSTHORN_ENCRYPTION_KEYS: 'e',
  GRAFANA_PASSWORD: 'f',
}

interface Service {
  readonly command: string[] | null
  readonly environment: Record<string, string>
  readonly read_only?: boolean
  readonly ports?: { readonly host_ip?: string }[]
  readonly scale?: number
  readonly healthcheck: { readonly test?: string[]; readonly disable?: boolean }
  readonly volumes?: { readonly type: string; readonly source: string; readonly target: string }[]
}

/** By Compose itself, without an engine. Its package from PyPI ends with 0 after an error, too. */
async function render(variables: Record<string, string>) {
  // `--env-file` keeps an .env of this folder out.
  const args = ['--file', FILE, '--env-file', '/dev/null', '--profile', 'monitoring', 'config']
  return await runProgram('docker-compose', [...args, '--format', 'json'], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), ...variables },
  })
}

describe('Compose', needs('docker-compose'), () => {
  let services: Record<string, Service>

  beforeAll(async () => {
    const { code, stdout, stderr } = await render(VARIABLES)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    services = JSON.parse(stdout).services
  })

  test.each(Object.keys(VARIABLES))('requires %s', async (name) => {
    const { stdout, stderr } = await render({ ...VARIABLES, [name]: '' })
    expect(stderr).toContain(`required variable ${name} is missing a value: Set it in .env`)
    expect(stdout).toBe('')
  })

  test('runs a migration, an API and two workers with settings that exist', () => {
    const { migrate, api, worker } = services as Record<string, Service>
    expect(migrate?.command?.[0]).toBe('migrate')
    expect([api?.command, worker?.command]).toEqual([
      ['start', '--role', 'api'],
      ['start', '--role', 'worker'],
    ])
    expect(worker?.scale).toBe(2)
    for (const service of [migrate, api, worker]) {
      const names = Object.keys(service?.environment ?? {})
      expect(names.filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([])
    }
    expect(migrate?.environment).not.toHaveProperty('POSTHORN_ENCRYPTION_KEYS')
  })

  test('allows the connections of the most workers that the page starts, and 20 more', async () => {
    const read = async (page: string) => await readFile(path.join(DEPLOY, '../docs', page), 'utf8')
    const [, ofApi, ofWorker] =
      /an API alone up to (\d+), a worker alone up to (\d+)/.exec(
        await read('operate/operating.md'),
      ) ?? []
    const [, workers] = /--scale worker=(\d+)/.exec(await read('operate/deploying.md')) ?? []
    const [, allowed] = /max_connections=(\d+)/.exec(`${services['postgres']?.command}`) ?? []
    const used = Number(ofApi) + Number(workers) * Number(ofWorker)
    expect(Number(allowed)).toBeGreaterThanOrEqual(used + 20)
  })

  test('writes only to named volumes, mounts files of the package, and publishes the API and Grafana on this machine only', () => {
    expect(Object.values(services).filter((service) => !service.read_only)).toEqual([])
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes)
    const writable = mounts.filter((mount) => !('read_only' in mount))
    expect(writable.map(({ type, source }) => [type, source])).toEqual([
      ['volume', 'grafana'],
      ['volume', 'postgres'],
      ['volume', 'prometheus'],
    ])
    const sources = mounts.filter(({ type }) => type === 'bind').map(({ source }) => source)
    expect(sources.length).toBeGreaterThan(4)
    for (const source of sources) expect(source.startsWith(DEPLOY) && existsSync(source)).toBe(true)
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map(({ host_ip }) => [name, host_ip]),
    )
    expect(published).toEqual([
      ['api', '127.0.0.1'],
      ['grafana', '127.0.0.1'],
    ])
  })

  test('takes a process for healthy exactly while it is ready', async () => {
    const [, program = '', ...args] = services['api']?.healthcheck.test ?? []
    await using posthorn = await startTestApp({ role: 'api' })
    const check = (url: string) =>
      execute(
        program,
        args.map((arg) => arg.replace('http://127.0.0.1:4000', url)),
      )
    await check(posthorn.app.url)
    await expect(check('http://127.0.0.1:1')).rejects.toThrow()
  })
})

test(
  'the database gets the roles of roles.sql with the given passwords',
  needs('psql'),
  async () => {
    await using database = await createBlankDatabase()
    // The server of the image has no settings of others; the server of the tests may make transactions read-only.
    const options = '-c default_transaction_read_only=off'
    const url = new URL(database.url)
    const prefix = `compose_${randomBytes(4).toString('hex')}`
    const roles = path.join(tmpdir(), `${prefix}.sql`)
    onTestFinished(() => rm(roles))
    const rename = (text: string) =>
      text.replaceAll(/posthorn_(?=owner|service|dashboards)/g, `${prefix}_`)
    await writeFile(roles, rename(await readFile(path.join(DEPLOY, 'roles.sql'), 'utf8')))
    const script = await readFile(path.join(DEPLOY, 'docker/create-roles.sh'), 'utf8')
    await execute('sh', ['-c', rename(script.replace('/etc/posthorn/roles.sql', `'${roles}'`))], {
      env: {
        PATH: `${path.dirname(programPath('psql'))}:${process.env['PATH']}`,
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGPASSWORD: decodeURIComponent(url.password),
        PGOPTIONS: options,
        POSTGRES_USER: url.username,
        POSTGRES_DB: url.pathname.slice(1),
        ...VARIABLES,
        OWNER_PASSWORD: "it's one",
      },
    })
    const { rows } = await database.pool.query(
      `select rolname, rolpassword from pg_authid where rolname like $1 order by 1`,
      [`${prefix}%`],
    )
    expect(rows.map(({ rolname }) => rolname)).toEqual([
      `${prefix}_dashboards`,
      `${prefix}_owner`,
      `${prefix}_service`,
    ])
    const login = new URL(database.url)
    login.username = `${prefix}_owner`
    login.password = encodeURIComponent("it's one")
    const owner = new pg.Client({ connectionString: login.href, options })
    await owner.connect()
    await owner.query('create schema posthorn')
    await owner.end()
    await database.pool.query(
      ['dashboards', 'owner', 'service']
        .map((role) => `drop owned by ${prefix}_${role}; drop role ${prefix}_${role}`)
        .join(';'),
    )
  },
)

test('Prometheus accepts its configuration', needs('promtool'), async () => {
  // Prometheus reads the path of the rules as a pattern, so it is a relative one.
  const args = ['check', 'config', 'prometheus.yaml']
  const options = { cwd: path.join(DEPLOY, 'prometheus') }
  const { code, stdout, stderr } = await runProgram('promtool', args, options)
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('SUCCESS')
})
