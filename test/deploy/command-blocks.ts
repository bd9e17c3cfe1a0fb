import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../docs/support/pages.ts'

/** The text of the only block of a page for operators that contains a text. A test that runs it also runs what the page says later. */
export function blockOf(page: string, part: string): string {
  const [found, ...others] = blocksOf(`docs/operate/${page}`).filter((one) =>
    one.text.includes(part),
  )
  if (found && others.length === 0) return found.text
  throw new Error(`Not one block of ${page} contains "${part}".`)
}

/** A text with other texts in place of some of its own, each of which it must contain. */
export function withReplaced(text: string, replaced: Readonly<Record<string, string>>): string {
  return Object.entries(replaced).reduce((result, [part, other]) => {
    if (!result.includes(part)) throw new Error(`There is no "${part}" in:\n${text}`)
    return result.replaceAll(part, () => other)
  }, text)
}

/** A path as bash reads it, also before the rest of a path, and within the single quotes of SQL. */
export function quoted(file: string): string {
  return `"${file.replaceAll(/[$`"\\]/g, '\\$&')}"`
}

export interface ShellOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** The command that runs bash, such as one that changes the user. */
  readonly as?: readonly string[]
}

/**
 * Bash reads no start-up files. Those of Debian fail with `-u`, and bash also reads them if its standard input is a socket, as
 * that of a child of Node.
 */
const BASH = ['bash', '--norc', '--noprofile', '-euo', 'pipefail', '-c']

/** Runs commands as a person pastes them, but stops at the first that fails. Returns what they print. */
export async function runCommands(text: string, options: ShellOptions): Promise<string> {
  const { cwd, env = {}, as = [] } = options
  const [file = '', ...args] = [...as, ...BASH, text]
  const { stdout } = await promisify(execFile)(file, args, {
    cwd,
    // The Node of the tests comes first.
    env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, ...env },
  })
  return stdout
}

/** Programs that stand in for others. Each is a script of `sh`. Returns the folder to put first in PATH. */
export async function writePrograms(
  folder: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(path.join(folder, name), `#!/bin/sh\nset -eu\n${script}\n`)
    await chmod(path.join(folder, name), 0o755)
  }
  return folder
}
