import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import generateTypedDocuments from '../../support/typed-documents.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const REACT_18 = path.join(import.meta.dirname, '../react-18/node_modules')
const FROM_HERE = ['react', 'react-dom', 'scheduler', 'csstype', '@types/react', '@types/react-dom']
const DOCUMENTS = 'src/generated/persisted-documents.json'
const PACKAGE = path.join(ROOT, 'packages/react')

/** A project that has the packed package, and of this repository only React. */
export interface HostProject extends AsyncDisposable {
  readonly folder: string
  /** The files in the archive. */
  readonly packed: readonly string[]
}

export type ReactVersion = 18 | 19

/** Packs the package as `npm publish` does, and unpacks it in the `node_modules` of an empty project. */
export async function createHostProject(): Promise<HostProject> {
  await generateTypedDocuments()
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-react-'))
  const built = path.join(folder, 'built')
  await mkdir(built)
  for (const file of ['package.json', 'README.md', 'LICENSE', DOCUMENTS]) {
    await cp(path.join(PACKAGE, file), path.join(built, file))
  }
  const project = path.join(PACKAGE, 'tsconfig.build.json')
  await run('tsc', ['--project', project, '--outDir', path.join(built, 'dist')], ROOT)
  // The files are built already, in a folder of their own.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [archive] = JSON.parse(await run('npm', args, built))
  const installed = path.join(folder, 'node_modules/@posthorn/react')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', archive.filename, '-C', installed, '--strip-components=1'], folder)
  await rm(built, { recursive: true })
  await linkReact(folder, 19)
  return hostProject(
    folder,
    archive.files.map(({ path }: { path: string }) => path),
  )
}

/** A project with the same package, and with React 18. */
export async function withReact18({ folder, packed }: HostProject): Promise<HostProject> {
  const copy = await mkdtemp(path.join(tmpdir(), 'posthorn-react-'))
  const installed = 'node_modules/@posthorn'
  await cp(path.join(folder, installed), path.join(copy, installed), { recursive: true })
  await linkReact(copy, 18)
  return hostProject(copy, packed)
}

async function linkReact(folder: string, version: ReactVersion): Promise<void> {
  await mkdir(path.join(folder, 'node_modules/@types'))
  for (const name of FROM_HERE) {
    const own = path.join(REACT_18, name)
    const source = version === 18 && existsSync(own) ? own : path.join(ROOT, 'node_modules', name)
    await symlink(source, path.join(folder, 'node_modules', name))
  }
}

function hostProject(folder: string, packed: readonly string[]): HostProject {
  return {
    folder,
    packed,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Runs a program of this repository. Its output is in the error if it fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const PATH = `${path.join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`
  const options = { cwd, env: { ...process.env, PATH, NO_COLOR: '1' } }
  const { stdout } = await promisify(execFile)(program, [...args], options).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${args.join(' ')}:\n${error.stdout}${error.stderr}`)
    },
  )
  return stdout
}
