import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
export const EXAMPLES = path.join(ROOT, 'examples/receivers')

export interface ReceiverProcess extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The bodies that were processed with this id. */
  processed(id: string): string[]
}

/** Runs a command of the README in a folder. */
export async function startReceiver(
  command: string,
  folder: string,
  secret: string,
): Promise<ReceiverProcess> {
  const port = await freePort()
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      TMPDIR: folder,
      CARGO_TARGET_DIR: path.join(ROOT, 'node_modules/.cache/cargo'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, because some commands start the receiver as another process.
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  // Some of them are compiled first.
  const isListening = async () => {
    if (child.exitCode !== null) throw new Error(`The receiver ended: ${stderr}`)
    return await accepts(port)
  }
  await until(isListening, `${command} listens`, 120_000).catch(async (error) => {
    await end(child)
    throw new Error(`${error.message}\n${stderr}`)
  })
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    processed: (id) =>
      stdout
        .split('\n')
        .filter((line) => line.startsWith(`${id} `))
        .map((line) => line.slice(id.length + 1)),
    [Symbol.asyncDispose]: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  process.kill(-child.pid, 'SIGKILL')
  await once(child, 'close')
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

/** The command of each language in the README. */
export async function readCommands(): Promise<Map<string, string>> {
  const readme = await readFile(path.join(EXAMPLES, 'README.md'), 'utf8')
  const rows = readme.matchAll(/^\| ([^|]+) \| \[.*\| `([^`]+)` \|$/gm)
  return new Map([...rows].map(([, name = '', command = '']) => [name, command]))
}
