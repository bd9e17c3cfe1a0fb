import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../src/cli/posthorn.js', import.meta.url))

/** A `posthorn` command running as a process of its own. */
export interface PosthornProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Its exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface ProcessOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Default: the project's folder. */
  readonly cwd?: string
  readonly input?: string
}

export function startPosthorn(
  args: readonly string[],
  options: ProcessOptions = {},
): PosthornProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    // Not the settings of whoever runs the tests.
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(options.input ?? '')
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk
  })
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

/** Runs a command to its end. */
export async function runPosthorn(args: readonly string[], options: ProcessOptions = {}) {
  await using posthorn = startPosthorn(args, options)
  const code = await posthorn.ended
  return { code, stdout: posthorn.stdout, stderr: posthorn.stderr }
}
