import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../src/config/settings.ts'
import type { Bench } from './bench.ts'
import { endWithBench } from './children.ts'
import { cpuTimeMs } from './cpu-time.ts'
import { type Memory, watchMemory } from './memory.ts'

/** A `posthorn start` as people run it, in a process of its own. */
export interface PosthornServer extends AsyncDisposable {
  readonly url: string
  readonly memory: Memory
  cpuTimeMs(): Promise<number>
  /** Ends it at once, whatever it is doing. */
  kill(): Promise<void>
}

export const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')

export async function startPosthornServer(
  { server, receiver, profileFolder }: Bench,
  databaseUrl: string,
  role: Role,
): Promise<PosthornServer> {
  const authorityFile = path.join(server.folder, 'receiver.pem')
  await writeFile(authorityFile, receiver.authority)
  const profiling = profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []
  const child = endWithBench(
    spawn(process.execPath, [...profiling, ...(await startArguments()), '--role', role], {
      // Not where a `.env` of whoever runs the bench could be read.
      cwd: server.folder,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: databaseUrl,
        PORT: '0',
        POSTHORN_ENCRYPTION_KEYS: ENCRYPTION_KEY,
        POSTHORN_EGRESS_ALLOW: '127.0.0.0/8',
        POSTHORN_EGRESS_CA_FILE: authorityFile,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  const exited = once(child, 'exit')
  const pid = child.pid as number
  const memory = watchMemory(pid)
  const said: string[] = []
  let ending = false
  // Nobody catches this: it breaks off the whole bench, which would otherwise wait for deliveries that never come.
  exited.then(() => {
    if (!ending) throw new Error(`posthorn start --role ${role} ended:\n${said.join('\n')}`)
  })
  const end = async (signal: NodeJS.Signals) => {
    ending = true
    memory.stop()
    child.kill(signal)
    await exited
  }
  return {
    url: await readUrl(child.stderr, said),
    memory,
    cpuTimeMs: () => cpuTimeMs(pid),
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

/** What `npm start` runs, with the same flags. */
async function startArguments(): Promise<string[]> {
  const root = new URL('../../', import.meta.url)
  const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  const [, ...args] = (scripts.start as string).split(' ')
  return args.map((arg) => (arg.endsWith('.js') ? fileURLToPath(new URL(arg, root)) : arg))
}

/** From the line that says it is ready. Keeps the last of what it said, should it end by itself. */
async function readUrl(stderr: NodeJS.ReadableStream, said: string[]): Promise<string> {
  const ready = Promise.withResolvers<string>()
  createInterface(stderr).on('line', (line) => {
    if (line.includes('"msg":"ready"')) ready.resolve(JSON.parse(line).url)
    if (line.includes('"level":"error"')) console.error(line)
    said.push(line)
    if (said.length > 20) said.shift()
  })
  return await ready.promise
}
