import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { compressFiles } from './compress-files.ts'
import { waitForTurn } from './install/install-packages.ts'

/* `npm run build:console`, which comes before `npm start`: builds the console and the portal's element, unless they are there. */

const ROOT = path.join(import.meta.dirname, '..')

const SOURCES = [
  ...['package-lock.json', 'vite.config.ts', 'codegen.ts', 'schema.graphql'],
  ...['packages/console/**/*.*', 'packages/portal-element/*.*', 'docs/examples/graphql/*.graphql'],
]
const isGenerated = (file: string) => file.endsWith('generated')

/** Names the sources of the build beside it. The last file that a build writes. */
const MARK = path.join(ROOT, 'dist/console/.sources')

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  const files = await Array.fromAsync(glob(SOURCES, { cwd: ROOT, exclude: isGenerated }))
  for (const file of files.sort()) {
    hash.update(`${file}\0`).update(await readFile(path.join(ROOT, file)))
  }
  return hash.digest('hex')
}

const isBuiltFrom = async (sources: string) =>
  (await readFile(MARK, 'utf8').catch(() => '')) === sources

async function build(sources: string): Promise<void> {
  const began = performance.now()
  process.stderr.write('Building the console, once for this version of its sources … ')
  await rm(MARK, { force: true })
  await import('../codegen.ts')
  // Another NODE_ENV would select the development build of React.
  process.env['NODE_ENV'] = 'production'
  const vite = await import('vite')
  await vite.build({ configFile: path.join(ROOT, 'vite.config.ts'), logLevel: 'error' })
  // The pages are small, and are not served as files.
  await compressFiles(path.join(ROOT, 'dist/console'), /\.(js|css|svg)$/)
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc')
  await promisify(execFile)(compiler, ['--project', path.join(ROOT, 'packages/portal-element')])
  await writeFile(MARK, sources)
  process.stderr.write(`done in ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`)
}

const sources = await hashOfSources()
// A user who may not write can start what is built.
if (!(await isBuiltFrom(sources))) {
  try {
    // Another process may build at the same time: then this one waits for its build.
    await using _turn = await waitForTurn(path.join(ROOT, 'dist/console'))
    if (!(await isBuiltFrom(sources))) await build(sources)
  } catch (error) {
    process.stderr.write(
      `\nThe console cannot be built: ${(error as Error).message}\n\nTo start Posthorn without its console: npx posthorn start\n`,
    )
    process.exitCode = 1
  }
}
