import { type Command, CommanderError } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Settings of the person who runs the tests. */
const SETTINGS = /^(HOST|PORT|DATABASE_URL|POSTHORN_\w+)$/

/** Runs a command in this process, which is faster than `runPosthorn`. Standard input is that of the tests. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Result> {
  using stack = new DisposableStack()
  // Without the `.env` and the data directory of that person.
  const folder = process.cwd()
  process.chdir(temporaryFolder())
  stack.defer(() => process.chdir(folder))
  const before = { ...process.env }
  for (const name of Object.keys(before)) if (SETTINGS.test(name)) delete process.env[name]
  Object.assign(process.env, environment)
  stack.defer(() => {
    for (const name of Object.keys(environment)) delete process.env[name]
    Object.assign(process.env, before)
  })
  const stdout = stack.use(capture(process.stdout))
  const stderr = stack.use(capture(process.stderr))
  stack.defer(() => {
    process.exitCode = undefined
  })
  try {
    const program = await createProgram(args[0])
    throwOnExit(program)
    await program.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { code: error.exitCode, stdout: stdout.text(), stderr: stderr.text() }
  }
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
