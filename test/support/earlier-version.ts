import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type LockFile, productionLockFile } from '../../release/production-lock-file.ts'
import { lastRelease } from '../graphql/support/breaking-changes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** An earlier version of Posthorn, in a folder of its own. */
export interface EarlierVersion extends AsyncDisposable {
  /** The path of its `posthorn` program. */
  readonly program: string
}

/**
 * The version to upgrade from: the tag or commit in `TEST_UPGRADE_FROM`, or else the last release. Undefined if there is
 * none, as in a clone without tags.
 */
export async function findEarlierVersion(): Promise<string | undefined> {
  return process.env['TEST_UPGRADE_FROM'] ?? (await lastRelease(ROOT))?.tag
}

/** Checks out a tag or commit with the packages of its own lock file, and generates what its processes need. */
export async function checkOutVersion(ref: string): Promise<EarlierVersion> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-earlier-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const archive = path.join(folder, 'source.tar')
  await execute('git', ['archive', '--format=tar', `--output=${archive}`, ref], { cwd: ROOT })
  await execute('tar', ['-xf', archive, '-C', folder])
  await installPackages(folder)
  await execute(process.execPath, ['src/db/generate.ts'], { cwd: folder })
  const checkedOut = stack.move()
  return {
    program: programIn(folder),
    [Symbol.asyncDispose]: () => checkedOut.disposeAsync(),
  }
}

/** Until 0.2.0, the repository itself was the package. */
function programIn(folder: string): string {
  const program = path.join(folder, 'packages/posthorn/posthorn.js')
  return existsSync(program) ? program : path.join(folder, 'src/cli/posthorn.js')
}

/** Shares the installed packages if its processes need the same ones. */
async function installPackages(folder: string): Promise<void> {
  const [own, earlier] = await Promise.all([ROOT, folder].map(neededPackages))
  if (own === earlier) {
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  } else {
    // No package needs an install script at run time.
    await execute('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  }
}

/** The packages of a lock file that run, and the one that generates what runs, with their versions. */
async function neededPackages(folder: string): Promise<string> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, file), 'utf8'))
  const lock: LockFile = await read('package-lock.json')
  const own = await read('packages/posthorn/package.json').catch(() => read('package.json'))
  const { dependencies, optionalDependencies } = own
  const { packages } = productionLockFile(lock, { dependencies, optionalDependencies })
  const prisma = lock.packages['node_modules/prisma']
  const versions = Object.entries({ ...packages, prisma }).map(
    ([name, one]) => `${name} ${one?.version}`,
  )
  return versions.toSorted().join()
}
