import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { programPath } from '../../support/installed-program.ts'

/** A program that partners generate a client with. */
export interface Generator {
  readonly name: string
  /** Whether it generates code for schemas of any kind. Others fail for those with null as an alternative. Default: no. */
  readonly readsEventTypes?: boolean
  /** Gets the program into a new folder. Rejects where it cannot: without its language, or without a network. */
  install(folder: string): Promise<void>
  /** Generates a client of `openapi.json` in the folder, and compiles it. Rejects if either fails. */
  build(folder: string): Promise<void>
}

/** Runs a program in the folder: an installed one by its name, or one by its path. Rejects with all that it printed. */
export async function run(
  folder: string,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(
      isName(program) ? programPath(program) : program,
      args,
      {
        cwd: folder,
        env: { ...process.env, ...environment },
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    return stdout
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>
    const output = `${stdout}${stderr}`.trim()
    throw new Error(output === '' ? message : `${program} ${args.join(' ')}\n${output}`)
  }
}

const isName = (program: string) => program === path.basename(program)
