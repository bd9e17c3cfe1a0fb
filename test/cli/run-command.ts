import { Readable } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import { expect } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A command that runs in this process. */
export interface RunningCommand {
  readonly stdout: string
  readonly stderr: string
  /** The exit code. */
  readonly ended: Promise<number>
  /** Lets the command see a signal. */
  kill(signal: NodeJS.Signals): void
}

interface CommandOptions {
  /** Default: a folder without the `.env` and the data of the person who runs the tests. */
  readonly cwd?: string
  /** Standard input. Default: nothing. */
  readonly input?: string | Uint8Array
}

/** Settings of the person who runs the tests. */
const SETTINGS = /^(HOST|PORT|DATABASE_URL|POSTHORN_\w+)$/

const EVENTS: readonly { readonly of: NodeJS.EventEmitter; readonly event: string }[] = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((event) => ({ of: process, event })),
  ...[process.stdout, process.stderr].map((of) => ({ of, event: 'error' })),
]

let isRunning = false

/** Starts a command in this process, which takes no time. One at a time. */
export function startCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { cwd = temporaryFolder(), input = '' }: CommandOptions = {},
): RunningCommand {
  if (isRunning) throw new Error('Another command still runs in this process.')
  isRunning = true
  const stack = new DisposableStack()
  stack.defer(() => {
    isRunning = false
  })
  const folder = process.cwd()
  process.chdir(cwd)
  stack.defer(() => process.chdir(folder))
  const before = { ...process.env }
  for (const name of Object.keys(before)) if (SETTINGS.test(name)) delete process.env[name]
  Object.assign(process.env, environment)
  stack.defer(() => {
    for (const name of Object.keys(environment)) delete process.env[name]
    Object.assign(process.env, before)
  })
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    value: Readable.from([Buffer.from(input)]),
  })
  stack.defer(() => Object.defineProperty(process, 'stdin', stdin))
  const stdout = stack.use(capture(process.stdout))
  const stderr = stack.use(capture(process.stderr))
  const own = EVENTS.map(({ of, event }) => {
    const others = of.listeners(event)
    return { of, event, added: () => of.listeners(event).filter((one) => !others.includes(one)) }
  })
  stack.defer(() => {
    for (const { of, event, added } of own) {
      for (const listener of added()) of.off(event, listener as () => void)
    }
  })
  stack.defer(() => {
    process.exitCode = undefined
  })
  async function run(): Promise<number> {
    using _ = stack
    try {
      const program = await createProgram(args[0])
      throwOnExit(program)
      await program.parseAsync(args, { from: 'user' })
      return Number(process.exitCode ?? 0)
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      return error.exitCode
    }
  }
  return {
    get stdout() {
      return stdout.text()
    },
    get stderr() {
      return stderr.text()
    },
    ended: run(),
    kill(signal) {
      const listeners = own.find(({ event }) => event === signal)?.added() ?? []
      for (const listener of listeners) listener.call(process, signal)
    },
  }
}

/** Runs a command in this process, which is faster than `runPosthorn`. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: CommandOptions = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const command = startCommand(args, environment, options)
  const code = await command.ended
  return { code, stdout: command.stdout, stderr: command.stderr }
}

/** Runs a command that is refused with exit code 1, and returns the reason. It prints nothing else. */
export async function refusal(...command: Parameters<typeof runCommand>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(...command)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  return stderr
}

/** Runs a command that succeeds, and returns the JSON that it prints. */
export async function printedJson(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], environment)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

function throwOnExit(command: Command): void {
  command.exitOverride()
  command.commands.forEach(throwOnExit)
}

function capture(stream: NodeJS.WriteStream): Disposable & { text(): string } {
  const { write } = stream
  let text = ''
  stream.write = (chunk: string | Uint8Array) => {
    text += chunk
    return true
  }
  return {
    text: () => text,
    [Symbol.dispose]() {
      stream.write = write
    },
  }
}
