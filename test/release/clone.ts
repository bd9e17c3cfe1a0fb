import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { runProgram } from '../support/installed-program.ts'

const ROOT = path.join(import.meta.dirname, '../..')

export type Clone = Awaited<ReturnType<typeof createClone>>

/** For hooks that build and install packages, beside other files that do the same. Alone, they take a minute. */
export const BUILDS_MS = 900_000

/** Git asks who commits. */
const GIT = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
}

/** A clone of the last commit, with the installed packages of this one. */
export async function createClone() {
  const parent = await mkdtemp(path.join(tmpdir(), 'posthorn release '))
  const folder = path.join(parent, 'clone')
  // In place of the settings of the person who runs the tests. The repository may belong to another user.
  const settings = path.join(parent, 'gitconfig')
  await writeFile(settings, '[safe]\n\tdirectory = *\n')
  const env = { ...process.env, ...GIT, GIT_CONFIG_GLOBAL: settings }
  /** Runs a program to its end, and does not throw if it fails. */
  const run = async (program: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(program, args, { cwd: folder, env })
    return { code, output: stdout + stderr }
  }
  const git = async (...args: readonly string[]) => {
    const { code, output } = await run('git', ...args)
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed:\n${output}`)
    return output.trim()
  }
  await promisify(execFile)('git', ['clone', '--quiet', ROOT, folder], { env })
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const ofSite = path.join(ROOT, 'scripts/site/node_modules')
  // Astro finds its files below the folder of the site only.
  if (existsSync(ofSite)) await cp(ofSite, path.join(folder, 'scripts/site/node_modules'), COPIED)
  await appendFile(path.join(folder, '.git/info/exclude'), 'node_modules\n')
  await run(process.execPath, 'src/db/generate.ts')
  return {
    folder,
    git,
    run,
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  }
}

/** Links within the packages stay what they are. */
const COPIED = { recursive: true, verbatimSymlinks: true }
