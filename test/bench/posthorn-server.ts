import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Role } from '../../src/config/settings.ts'
import { stagePackage } from '../support/packed-package.ts'
import type { Bench } from './bench.ts'
import { killWithBench } from './script-process.ts'
import { cpuTimeMs, memoryMb, wakeUps } from './usage.ts'

export type PosthornServer = Awaited<ReturnType<typeof startPosthornServer>>

export const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')

/** The program as users install it, compiled, in a folder where Node finds the packages of this clone. */
const INSTALLED = path.resolve('node_modules/.cache/bench/node_modules/posthorn')
export const installPosthorn = () => stagePackage(INSTALLED)

/** A real `posthorn start` process. */
export async function startPosthornServer(
  { server, receiver }: Bench,
  databaseUrl: string,
  role: Role,
) {
  const authorityFile = path.join(server.folder, 'receiver.pem')
  await writeFile(authorityFile, receiver.authority)
  const args = [path.join(INSTALLED, 'posthorn.js'), 'start', '--role', role]
  const startedAt = performance.now()
  const child = killWithBench(
    spawn(process.execPath, args, {
      // A folder without a `.env` file.
      cwd: server.folder,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: databaseUrl,
        PORT: '0',
        POSTHORN_ENCRYPTION_KEYS: ENCRYPTION_KEY,
        POSTHORN_EGRESS_ALLOW: '127.0.0.0/8',
        POSTHORN_EGRESS_CA_FILE: authorityFile,
        // To measure what tracing costs.
        ...Object.fromEntries(
          Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_')),
        ),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  const exited = once(child, 'exit')
  const pid = child.pid as number
  const lastLines: string[] = []
  let ending = false
  // This error is not caught, so it aborts the benchmark, which would otherwise wait forever.
  exited.then(() => {
    if (!ending) throw new Error(`posthorn start --role ${role} exited:\n${lastLines.join('\n')}`)
  })
  const url = await readUrl(child.stderr as Readable, lastLines)
  return {
    url,
    /** Resident, in MB. */
    memoryMb: () => memoryMb(pid, 'VmRSS'),
    peakMemoryMb: () => memoryMb(pid, 'VmHWM'),
    /** The time from its start to the line `ready` of its log. */
    readyAfterMs: performance.now() - startedAt,
    cpuTimeMs: () => cpuTimeMs(pid),
    wakeUps: () => wakeUps(pid),
    async [Symbol.asyncDispose]() {
      ending = true
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Reads the URL from the log line `ready`. Keeps the last lines for the error message if the process exits. */
async function readUrl(stderr: NodeJS.ReadableStream, lastLines: string[]): Promise<string> {
  const ready = Promise.withResolvers<string>()
  createInterface(stderr).on('line', (line) => {
    if (line.includes('"msg":"ready"')) ready.resolve(JSON.parse(line).url)
    if (line.includes('"level":"error"')) console.error(line)
    lastLines.push(line)
    if (lastLines.length > 20) lastLines.shift()
  })
  return await ready.promise
}
