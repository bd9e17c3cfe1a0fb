import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { collectOutput } from './collect-output.ts'

/** The path of `posthorn.js`. */
export const PROGRAM = fileURLToPath(
  new URL('../../packages/posthorn/posthorn.js', import.meta.url),
)

/** A running `posthorn` command. */
export interface PosthornProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** The exit code, or the name of the signal that ended the process. */
  readonly ended: Promise<number | string>
}

export interface ProcessOptions {
  /** The path of `posthorn.js`. Default: this version. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Default: the working directory of this process. */
  readonly cwd?: string
  readonly input?: string | Uint8Array
}

export function startPosthorn(
  args: readonly string[],
  options: ProcessOptions = {},
): PosthornProcess {
  const child = spawn(process.execPath, [options.program ?? PROGRAM, ...args], {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    // Without the settings of the person who runs the tests, but in the same place.
    env: {
      ...inherited('PATH', 'TZ', 'LANG', 'LC_ALL', 'NODE_COMPILE_CACHE'),
      NO_COLOR: '1',
      ...options.environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', ignoreBrokenPipe).end(options.input ?? '')
  const output = collectOutput(child)
  const ended = once(child, 'close').then(([code, signal]) => signal ?? code)
  return {
    child,
    get stdout() {
      return output.stdout
    },
    get stderr() {
      return output.stderr
    },
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** For the input of a process that may end before it has read all, for example because an option is wrong. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function inherited(...names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}

/** Runs a command until it exits. */
export async function runPosthorn(args: readonly string[], options: ProcessOptions = {}) {
  await using posthorn = startPosthorn(args, options)
  const code = await posthorn.ended
  return { code, stdout: posthorn.stdout, stderr: posthorn.stderr }
}
