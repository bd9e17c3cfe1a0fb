import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { unappliedMigrations } from '../../src/db/migrate/migrations.ts'
import { ROOT } from '../docs/support/pages.ts'
import { testEnvironment } from '../support/app.ts'
import { PATIENT } from '../support/database.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { withDatabase } from '../support/with-database.ts'
import { blockOf, quoted, runCommands, withReplaced } from './command-blocks.ts'

/*
 * The commands of docs/operate/operating.md for three roles, in the database of an application. Its owner may create roles and is no
 * superuser, such as the administrator of a managed Postgres.
 */

const CREATE_ROLES = blockOf('operating.md', '-f roles.sql')

describe('roles.sql', needs('psql'), () => {
  let stack: AsyncDisposableStack
  let superuser: Database
  let folder: string
  let suffix: string
  /** Needs quotes in SQL. */
  let name: string
  let admin: string
  let application: string

  beforeEach(async () => {
    suffix = randomBytes(4).toString('hex')
    name = `Shop ${suffix}`
    admin = `admin_${suffix}`
    application = `shop-${suffix}`
    await using opening = new AsyncDisposableStack()
    const temporary = await mkdtempDisposable(path.join(tmpdir(), 'posthorn-roles-'))
    folder = opening.use(temporary).path
    superuser = opening.use(openDatabase(inject('postgresUrl'), PATIENT))
    opening.defer(async () => {
      await superuser.pool.query(`drop database if exists "${name}" with (force)`)
      const own = ['owner', 'service', 'dashboards'].map((role) => `posthorn_${role}_${suffix}`)
      await superuser.pool.query(`drop role if exists ${own}, "${application}", ${admin}`)
    })
    await superuser.pool.query(`create role ${admin} login createrole password 'secret'`)
    await superuser.pool.query(`create role "${application}" login password 'secret'`)
    await superuser.pool.query(`create database "${name}" owner ${admin}`)
    const script = await readFile(path.join(ROOT, 'deploy/roles.sql'), 'utf8')
    await writeFile(path.join(folder, 'roles.sql'), withSuffix(script))
    stack = opening.move()
  })
  afterEach(async () => await stack?.[Symbol.asyncDispose]())

  const withSuffix = (text: string) =>
    text.replaceAll(/\bposthorn_(owner|service|dashboards)\b/g, `$&_${suffix}`)

  function urlOf(role: string, password = 'secret'): string {
    const url = new URL(withDatabase(superuser.url, encodeURIComponent(name)))
    url.username = role
    url.password = password
    return url.href
  }

  /** Runs a block of the page as a role. Returns what it prints, also notices. */
  async function run(block: string, role: string): Promise<string> {
    const url = new URL(superuser.url)
    const text = withSuffix(block)
      .replaceAll('-d posthorn', () => `-d ${quoted(name)}`)
      .replaceAll('on database posthorn to your_application', grant)
    return await runCommands(`{\n${text}} 2>&1`, {
      cwd: folder,
      env: {
        PATH: `${path.dirname(programPath('psql'))}:${process.env['PATH']}`,
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGUSER: role,
        PGPASSWORD: 'secret',
        // The server of the tests may make transactions read-only.
        PGOPTIONS: '-c default_transaction_read_only=off',
      },
    })
  }

  /** As the argument of a shell. */
  const grant = () => `on database "${name}" to "${application}"`

  /** Whether a role can create a temporary table, or the code of the error. */
  async function createTemporary(role: string, password?: string): Promise<string> {
    await using database = openDatabase(urlOf(role, password), PATIENT)
    return await database.pool.query('create temp table one (a int)').then(
      () => 'created',
      ({ code }) => code,
    )
  }

  const migrate = async (url: string, ...args: string[]) =>
    await runPosthorn(['migrate', ...args], { environment: testEnvironment(url) })

  test('takes temporary tables from the roles of the application, and prints the line that gives them back', async () => {
    expect(await createTemporary(application)).toBe('created')
    const printed = await run(CREATE_ROLES, admin)
    expect(await createTemporary(application)).toBe('42501')
    const lines = printed.split('\n').filter((line) => line.startsWith('grant '))
    expect(lines).toContain(`grant temporary ${grant()};`)
    // Neither the roles of Posthorn nor those that keep the right.
    expect(lines.join()).not.toMatch(new RegExp(`posthorn_\\w+_${suffix}|${admin}|\\bpg_`))
    await run(blockOf('operating.md', 'grant temporary'), admin)
    expect(await createTemporary(application)).toBe('created')
    expect(await createTemporary(`posthorn_service_${suffix}`, 'change me too')).toBe('42501')
  })

  test('needs no superuser; the migration gives the service its rights', async () => {
    await run(CREATE_ROLES, admin)
    const owner = urlOf(`posthorn_owner_${suffix}`, 'change me')
    const block = withSuffix(blockOf('operating.md', 'npx posthorn migrate'))
    const [, options = ''] = /posthorn migrate \\\n(.*)\n$/.exec(block) ?? []
    expect(options).toContain(`--service-role posthorn_service_${suffix}`)
    const { code, stderr } = await migrate(owner, ...options.trim().split(' '))
    expect(code, stderr).toBe(0)
    await using asService = openDatabase(
      urlOf(`posthorn_service_${suffix}`, 'change me too'),
      PATIENT,
    )
    expect(await unappliedMigrations(asService.pool)).toEqual([])
  })

  test('moves an installation with one role, which is a member of the new owner', async () => {
    expect((await migrate(urlOf(admin))).code).toBe(0)
    await run(CREATE_ROLES, admin)
    const owner = `posthorn_owner_${suffix}`
    await using asAdmin = openDatabase(urlOf(admin), PATIENT)
    await asAdmin.pool.query(`grant ${owner} to ${admin}`)
    // Postgres moves objects in no fixed order. These schemas change last, so the functions in them move first.
    for (const schema of ['posthorn', 'posthorn_partitions', 'graphile_worker']) {
      for (const role of [owner, admin]) {
        await asAdmin.pool.query(`alter schema ${schema} owner to ${role}`)
      }
    }
    const move = blockOf('operating.md', 'reassign owned')
    await run(withReplaced(move, { the_old_role: admin }), admin)
    const service = ['--service-role', `posthorn_service_${suffix}`]
    const { code, stderr } = await migrate(urlOf(owner, 'change me'), ...service)
    expect(code, stderr).toBe(0)
  })

  test('changes nothing as a role that does not own the database', async () => {
    await superuser.pool.query(`alter role "${application}" createrole`)
    await expect(run(CREATE_ROLES, application)).rejects.toMatchObject({
      stdout: expect.stringContaining(`Run this as the owner of the database "${name}"`),
    })
    const { rows } = await superuser.pool.query(
      'select rolname from pg_roles where rolname like $1',
      [`posthorn_%${suffix}`],
    )
    expect(rows).toEqual([])
    expect(await createTemporary(application)).toBe('created')
  })
})
