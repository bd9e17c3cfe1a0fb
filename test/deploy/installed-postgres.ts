import { chmod, chown, readFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../support/free-port.ts'
import { programPath } from '../support/installed-program.ts'
import { runCommands } from './command-blocks.ts'

export type InstalledPostgres = Awaited<ReturnType<typeof createPostgres>>

/**
 * A new cluster in a folder, which the user that runs the server gets, of the Postgres that is installed here. The embedded
 * one has no pg_basebackup and no pg_dump.
 */
export async function createPostgres(folder: string) {
  const dataDirectory = path.join(folder, 'data')
  const port = await freePort()
  const as = await commandOfUser(folder)
  const urlOf = (database: string) => `postgres://posthorn@127.0.0.1:${port}/${database}`
  const env = {
    PATH: `${path.dirname(programPath('pg_ctl'))}:${process.env['PATH']}`,
    PGDATA: dataDirectory,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'posthorn',
    DATABASE_URL: urlOf('posthorn'),
  }
  /** Runs commands as the user that runs the server, with the variables that lead the programs of Postgres to it. */
  const run = (text: string) => runCommands(text, { cwd: folder, env, as })
  await run('initdb --auth=trust --username=posthorn --encoding=UTF8 --locale=C --no-sync')
  return {
    dataDirectory,
    urlOf,
    async start() {
      const settings = `-c listen_addresses=127.0.0.1 -c unix_socket_directories=`
      await run(`pg_ctl start -w -t 60 -l log -o "${settings}" > /dev/null`)
    },
    stop: async () => void (await run('pg_ctl stop -m fast -w')),
    run,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl stop -m immediate -w || true')
    },
  }
}

/** Postgres refuses to run as root; then its own user runs it. */
async function commandOfUser(folder: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return []
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid = '', gid = ''] = users.find(([name]) => name === 'postgres') ?? []
  await chown(folder, Number(uid), Number(gid))
  await chmod(folder, 0o700)
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
}
