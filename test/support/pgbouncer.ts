import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { programPath } from './installed-program.ts'
import { until } from './until.ts'

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>

/** Starts a PgBouncer in front of a database. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-pgbouncer-'))
  const file = path.join(folder, 'pgbouncer.ini')
  const port = await freePort()
  await writeFile(file, configuration(new URL(databaseUrl), { ...settings, listen_port: port }))
  // PgBouncer does not run as root, and the user that it switches to must be able to read its settings.
  const isRoot = process.getuid?.() === 0
  await chmod(folder, 0o755)
  const args = [...(isRoot ? ['-u', 'nobody'] : []), file]
  const child = spawn(programPath('pgbouncer'), args, { stdio: 'ignore' })
  const ended = once(child, 'close')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  await until(async () => await canConnect(url.href), 'PgBouncer accepts connections')
  return {
    /** Of the same database through the pooler. */
    url: url.href,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

function configuration(server: URL, settings: Readonly<Record<string, string | number>>): string {
  const login = [
    `user=${decodeURIComponent(server.username)}`,
    ...(server.password ? [`password=${decodeURIComponent(server.password)}`] : []),
  ].join(' ')
  const lines = { listen_addr: '127.0.0.1', unix_socket_dir: '', auth_type: 'any', ...settings }
  return `[databases]
* = host=${server.hostname} port=${server.port || 5432} ${login}
[pgbouncer]
${Object.entries(lines)
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
