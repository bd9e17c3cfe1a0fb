import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.join(import.meta.dirname, '../../..')
const PACKAGE = path.join(ROOT, 'packages/receiver')
const execute = promisify(execFile)

export type ReceiverProject = Awaited<ReturnType<typeof createReceiverProject>>

/**
 * Packs the package as `npm pack` does, and unpacks it in a project that has nothing else of this repository, where it is
 * `installed`.
 */
export async function createReceiverProject() {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn receiver '))
  const staging = path.join(folder, 'package')
  await mkdir(staging)
  for (const file of ['package.json', 'README.md', 'LICENSE']) {
    await cp(path.join(PACKAGE, file), path.join(staging, file))
  }
  await execute(process.execPath, [path.join(PACKAGE, 'build.ts'), path.join(staging, 'dist')])
  // The files are built already, in a folder of their own.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await execute('npm', args, { cwd: staging })
  const [{ filename, files }] = JSON.parse(stdout)
  await rm(staging, { recursive: true })
  const installed = path.join(folder, 'node_modules/@posthorn/receiver')
  const archive = path.join(folder, filename)
  await mkdir(installed, { recursive: true })
  await execute('tar', ['-xzf', archive, '-C', installed, '--strip-components=1'])
  return {
    ...{ folder, installed, archive },
    /** The files in the archive. */
    packed: files.map(({ path }: { path: string }) => path) as string[],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Links the packages that are installed in another folder into a project. */
export async function linkPackages(project: ReceiverProject, from: string): Promise<void> {
  const source = path.join(from, 'node_modules')
  for (const name of await readdir(source)) {
    await symlink(path.join(source, name), path.join(project.folder, 'node_modules', name))
  }
}

/** The programs in the README: each block of TypeScript by the name of its file. */
export async function readmeFiles(): Promise<ReadonlyMap<string, string>> {
  const readme = await readFile(path.join(PACKAGE, 'README.md'), 'utf8')
  const blocks = readme.matchAll(/`([\w/-]+(?:\.\w+)*\.ts)`[^`\n]*:\n\n```ts\n(.*?)```/gs)
  return new Map([...blocks].map(([, name = '', code = '']) => [name, code]))
}
