import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { collectOutput } from '../../support/collect-output.ts'
import { ROOT } from './pages.ts'

/** What a clone has besides its own files. */
const NOT_IN_A_NEW_CLONE = ['.git', '.env', '.posthorn']

export type Reader = Awaited<ReturnType<typeof createReader>>

/** A terminal in which a command keeps running. */
export type Terminal = ReturnType<Reader['open']>

/**
 * A person who types commands in a new clone, with an empty cache of npm. The clone has links to the files of this one, and
 * its own `.posthorn` and `.env`.
 */
export async function createReader(environment: Readonly<Record<string, string>>) {
  const parent = await mkdtemp(path.join(tmpdir(), 'posthorn reader '))
  const folder = path.join(parent, 'my clone')
  const home = path.join(parent, 'home')
  await Promise.all([mkdir(folder), mkdir(home)])
  for (const name of await readdir(ROOT)) {
    if (NOT_IN_A_NEW_CLONE.includes(name)) continue
    await symlink(path.join(ROOT, name), path.join(folder, name))
  }
  const env = { PATH: pathOfSystem(), HOME: home, NO_COLOR: '1', ...environment }
  const terminals: { stop(): Promise<void> }[] = []
  const start = (script: string, more = {}) =>
    spawn('bash', ['-euc', script], {
      cwd: folder,
      env: { ...env, ...more },
      // Its own group, as in a terminal.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  return {
    /** The folder of the clone, with a space in its path. */
    folder,
    /** Runs a script to its end. Throws unless it succeeds. */
    async type(script: string, more?: Readonly<Record<string, string>>) {
      const child = start(script, more)
      const output = collectOutput(child)
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`Exit code ${code} of\n${script}\n${output.stderr}`)
      return output
    },
    /** Starts a command in another terminal. */
    open(command: string) {
      const child = start(`exec ${command}`)
      const output = collectOutput(child)
      const terminal = {
        get output() {
          return output.stdout + output.stderr
        },
        /** Ctrl+C. */
        async stop() {
          if (child.exitCode !== null || child.signalCode !== null) return
          const closed = once(child, 'close')
          try {
            process.kill(-(child.pid as number), 'SIGINT')
          } catch (error) {
            if ((error as { code?: string }).code !== HAS_JUST_ENDED) throw error
          }
          await closed
        },
      }
      terminals.push(terminal)
      return terminal
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of terminals.toReversed()) await terminal.stop()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

const HAS_JUST_ENDED = 'ESRCH'

/** Without the programs of this clone, which only its own commands find. */
function pathOfSystem(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter)
}
