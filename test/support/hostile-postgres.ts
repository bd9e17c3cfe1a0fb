import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import {
  binariesFor,
  type PostgresBinaries,
  run as runProgram,
} from '../../src/db/embedded/binaries.ts'
import { freePort } from './free-port.ts'
import { HOSTILE_SETTINGS, hostileSettingsSql } from './hostile-settings.ts'
import { findPostgres } from './postgres-programs.ts'

const USER = 'posthorn'

/**
 * Starts a server that somebody else configured: each setting that a statement could depend on has another value than
 * Posthorn expects, in the server's configuration and for the role, and the databases sort and fold letters as in Turkish.
 * `version` is as for `findPostgres`.
 */
export async function startHostilePostgres(
  directory: string,
  version: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const binaries = await binariesFor(directory, await findPostgres(version))
  const cluster = path.join(directory, 'hostile')
  const password = randomBytes(12).toString('hex')
  const port = await freePort()
  const run: Run = (program, args) => runProgram(binaries, program, args)
  await initialize(binaries, run, cluster, password)
  await run('pg_ctl', [
    ...['start', '-D', cluster, '-l', path.join(cluster, 'log'), '-w', '-s', '-t', '120'],
    ...['-o', `-p ${port} -h 127.0.0.1 -c unix_socket_directories='' ${FAST}`],
  ])
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
  await applyHostileSettings(url, cluster)
  await run('pg_ctl', ['restart', '-D', cluster, '-l', path.join(cluster, 'log'), '-w', '-s'])
  return {
    url,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', ['stop', '-D', cluster, '-m', 'immediate', '-w', '-s'])
    },
  }
}

/** For the processes of several test files; see `postgres.ts` about `fsync`. */
const FAST = '-c fsync=off -c max_connections=500 -c jit=off'

type Run = (...command: Parameters<PostgresBinaries['command']>) => Promise<void>

async function initialize(
  binaries: PostgresBinaries,
  run: Run,
  cluster: string,
  password: string,
): Promise<void> {
  const passwordFile = `${cluster}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  await mkdir(cluster, { mode: 0o700 })
  for (const file of [passwordFile, cluster]) await binaries.changeOwner(file)
  await run('initdb', [
    ...[`--pgdata=${cluster}`, `--username=${USER}`, `--pwfile=${passwordFile}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--no-sync'],
    // Punctuation does not count, and capital letters come first.
    ...['--locale-provider=icu', '--icu-locale=tr-u-ka-shifted-kf-upper'],
    '--locale=C',
  ])
}

/**
 * In `postgresql.conf` and for all roles, without what only a superuser may change: Posthorn could not work as another role.
 */
async function applyHostileSettings(url: string, cluster: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`load 'plpgsql'`)
  const { rows } = await client.query<{ name: string; value: string }>(
    `select wanted.key as name, wanted.value
     from pg_settings join json_each_text($1) as wanted on lower(wanted.key) = lower(name)
     where context = 'user'`,
    [JSON.stringify(HOSTILE_SETTINGS)],
  )
  const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = ${pg.escapeLiteral(value)}\n`,
  )
  await appendFile(path.join(cluster, 'postgresql.conf'), lines.join(''))
  await client.query(hostileSettingsSql(null, settings))
  await client.end()
}
