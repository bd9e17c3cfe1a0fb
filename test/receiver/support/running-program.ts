import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../../support/until.ts'

export interface RunningProgram extends AsyncDisposable {
  /** What it printed. */
  readonly output: string
}

export interface ProgramStart {
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

/** Starts a server and waits until it answers on its port. */
export async function startProgram(start: ProgramStart): Promise<RunningProgram> {
  const [program, ...args] = start.command
  const child = spawn(program, args, {
    cwd: start.cwd,
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', ...start.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(child, 'close')
  const running: RunningProgram = {
    get output() {
      return output
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`${start.command.join(' ')} ended:\n${output}`)
      return await fetch(`http://127.0.0.1:${start.port}/`).then(
        () => true,
        () => false,
      )
    },
    `${start.command.join(' ')} answers`,
    60_000,
  )
  return running
}

/** What a server printed before its answer can come after the answer. */
export async function printed(program: RunningProgram, text: string): Promise<void> {
  await until(() => program.output.includes(text), `the program prints ${text}`)
}
