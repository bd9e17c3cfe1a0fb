import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

interface LockedPackage {
  readonly dev?: boolean
  /** Whether it is a package of the repository. */
  readonly link?: boolean
}

/** The packages of a lock file that run, or that generate what runs. */
async function neededPackages(folder: string): Promise<string> {
  const text = await readFile(path.join(folder, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> }
  const needed = Object.entries(packages).filter(
    ([name, { dev, link }]) =>
      name.startsWith('node_modules/') && !link && (!dev || name.includes('prisma')),
  )
  return JSON.stringify(needed)
}
