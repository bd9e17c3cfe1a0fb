import { execFile } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { withPackedLinks } from './packed-links.ts'
import { readProduction } from './production-lock-file.ts'
import { createSbom } from './sbom.ts'

export const ROOT = path.join(import.meta.dirname, '../..')

const PACKAGE = path.join(ROOT, 'packages/posthorn')

/** Where the package has a file of the repository, if not at the same path. It has a README of its own. */
const MOVED: Readonly<Record<string, string>> = { 'README.md': 'docs/README.md' }

/**
 * Compiles the program into a folder, and copies beside it what else the package publishes: the console of this clone, and
 * the site of the documentation if the clone has built that.
 */
export async function writePackage(folder: string): Promise<void> {
  const built = path.join(ROOT, 'dist/console')
  await run(process.execPath, ['scripts/build-console.ts'])
  await removeWritten(folder)
  await run(process.execPath, ['codegen.ts'])
  await run('tsc', ['--project', 'tsconfig.build.json', '--outDir', folder])
  const element = path.join(folder, 'dist/portal-element')
  await run('tsc', ['--project', 'packages/portal-element', '--outDir', element])
  await cp(built, path.join(folder, 'dist/console'), {
    recursive: true,
    filter: (file) => !file.endsWith('.sources'),
  })
  const docs = path.join(ROOT, 'dist/docs')
  if (existsSync(docs)) await cp(docs, path.join(folder, 'dist/docs'), { recursive: true })
  await writeFile(path.join(folder, 'dist/sbom.cdx.json'), await createSbom(ROOT))
  const files = await copiedFiles()
  for (const file of files) await copy(file, path.join(folder, MOVED[file] ?? file), files)
  // For deploy/docker/Dockerfile.
  const { lock } = await readProduction(ROOT)
  await writeFile(path.join(folder, 'deploy/docker/package-lock.json'), JSON.stringify(lock))
}

/** The files of the repository that the package has. */
async function copiedFiles(): Promise<string[]> {
  const { files } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8'))
  const patterns = files.filter((pattern: string) => !WRITTEN.has(pattern)).flatMap(inside)
  const found = globSync(patterns, { cwd: ROOT }).filter(
    (file) => statSync(path.join(ROOT, file)).isFile() && !PRIVATE.test(file),
  )
  return ['README.md', 'LICENSE', ...found.map((file) => file.replaceAll('\\', '/')).toSorted()]
}

/** The compiled program is written here, not copied. */
const WRITTEN = new Set(['dist', 'src', 'packages'])

/** What the operator of this clone may have written below `deploy`. */
const PRIVATE = /(^|[/\\])[.]env$|[.]tgz$/

/** A pattern, and what is inside it if it is a folder. */
const inside = (pattern: string) => [pattern, `${pattern}/**`]

async function copy(file: string, target: string, files: readonly string[]): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true })
  if (!file.endsWith('.md')) return await cp(path.join(ROOT, file), target)
  const text = await readFile(path.join(ROOT, file), 'utf8')
  await writeFile(target, withPackedLinks(text, { file, files, moved: MOVED }))
}

/** Removes what `writePackage` writes. */
async function removeWritten(folder: string): Promise<void> {
  const { files } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8'))
  const written = ['LICENSE', ...files.map((pattern: string) => pattern.split('/')[0])]
  for (const name of new Set<string>(written)) {
    await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

/** Runs a program of this repository. Its output is in the error if it fails. */
async function run(program: string, args: readonly string[]): Promise<void> {
  const file = path.resolve(ROOT, 'node_modules/.bin', program)
  // Another NODE_ENV would select the development build of React.
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = { cwd: ROOT, env, shell: process.platform === 'win32' }
  await promisify(execFile)(file, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  })
}

// `npm pack` and `npm publish` run this file before and after.
if (import.meta.main) {
  if (process.argv.includes('--remove')) await removeWritten(PACKAGE)
  else {
    console.error('Compiling the program.')
    await writePackage(PACKAGE)
  }
}
