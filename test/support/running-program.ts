import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { collectOutput } from './collect-output.ts'
import { until } from './until.ts'

export interface RunningProgram extends AsyncDisposable {
  readonly stdout: string
  /** All that it printed. */
  readonly output: string
}

export interface ProgramStart {
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

/** Starts a server and waits until it answers on its port. Some are compiled first. */
export async function startProgram(start: ProgramStart): Promise<RunningProgram> {
  const [program, ...args] = start.command
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', ...start.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, because some commands start the server as another process.
    detached: true,
  })
  const collected = collectOutput(child)
  const ended = once(child, 'close')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const running: RunningProgram = {
    get stdout() {
      return collected.stdout
    },
    get output() {
      return collected.stdout + collected.stderr
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) process.kill(-(child.pid as number), 'SIGKILL')
      await ended
    },
  }
  const what = `${start.command.join(' ')} answers`
  const answers = () =>
    fetch(`http://127.0.0.1:${start.port}/`).then(
      () => true,
      () => false,
    )
  await until(async () => hasEnded() || (await answers()), what, 120_000).catch(async (error) => {
    await running[Symbol.asyncDispose]()
    throw new Error(`${error.message}\n${running.output}`)
  })
  if (hasEnded()) throw new Error(`${start.command.join(' ')} ended:\n${running.output}`)
  return running
}

/** What a server printed before its answer can come after the answer. */
export async function printed(program: RunningProgram, text: string): Promise<void> {
  await until(() => program.output.includes(text), `the program prints ${text}`)
}
