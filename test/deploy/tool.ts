import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../support/installed-program.ts'

/** A program that checks files of `deploy`. `.ci/run` installs it; missing in CI, its tests fail. */
export interface Tool {
  /** Why its tests are skipped, or null. */
  readonly missing: string | null
  run(
    args: readonly string[],
    options?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
  ): Promise<ToolResult>
}

export interface ToolResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** `POSTHORN_TEST_TOOLS` is a folder with programs that are looked for first. */
export function tool(name: string, install: string): Tool {
  const own = path.join(process.env['POSTHORN_TEST_TOOLS'] ?? '', name)
  const program = process.env['POSTHORN_TEST_TOOLS'] && existsSync(own) ? own : findProgram(name)
  return {
    missing:
      program !== undefined || process.env['CI'] ? null : `${name} is not installed (${install})`,
    async run(args, options = {}) {
      if (program === undefined) throw new Error(`${name} is not installed: ${install}`)
      return await promisify(execFile)(program, args, { ...options, maxBuffer: 16 * 2 ** 20 }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      )
    },
  }
}
