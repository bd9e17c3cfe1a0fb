import { execFile } from 'node:child_process'
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { openApiDocument } from '../../src/server/rest/connect-v1/openapi.ts'
import { compressFiles } from '../compress-files.ts'
import { installPackages } from '../install/install-packages.ts'
import { writeInlineScripts } from './inline-scripts.ts'
import { withAddresses } from './links.ts'
import { writeMarkdownFiles } from './markdown-files.ts'
import { type Page, readPages } from './pages.ts'
import { ROOT } from './site.ts'

const SITE = import.meta.dirname

/** What Astro reads: the pages of the repository and those of the reference, as Starlight expects them. */
const SOURCES = path.join(SITE, '.generated')

const SITE_FOLDER = path.join(ROOT, 'dist/docs')

/** Builds the site of the documentation in `dist/docs`. Installs its packages first, where they are missing. */
export async function buildSite(): Promise<void> {
  const missing = await installPackages(SITE)
  if (missing !== null) throw new Error(missing)
  const pages = await readPages()
  await writeSources(pages)
  // A server that runs may serve the earlier site until the new one is whole.
  const unfinished = `${SITE_FOLDER}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await runAstro()
  await writeMarkdownFiles(unfinished, pages)
  await compressFiles(unfinished, /\.(html|js|css|svg|md|txt|json|ya?ml)$/)
  await writeInlineScripts(unfinished)
  await rm(SITE_FOLDER, { recursive: true, force: true })
  await rename(unfinished, SITE_FOLDER)
}

async function writeSources(pages: readonly Page[]): Promise<void> {
  await rm(SOURCES, { recursive: true, force: true })
  await cp(path.join(ROOT, 'docs/images'), path.join(SOURCES, 'images'), { recursive: true })
  await writeFile(path.join(SOURCES, 'openapi.json'), JSON.stringify(openApiDocument('/')))
  const paths = pages.map(({ path: name }) => name)
  await writeFile(path.join(SOURCES, 'pages.json'), JSON.stringify(paths))
  for (const page of pages) {
    const { path: name, title, description } = page
    const data = JSON.stringify({ title, description })
    const file = path.join(SOURCES, `${name}.md`)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, `---\n${data}\n---\n\n${withAddresses(page, pages, 'html')}`)
  }
}

/** The output of Astro is in the error if it fails. */
async function runAstro(): Promise<void> {
  const env: NodeJS.ProcessEnv = { ...process.env }
  // Those of a build or a test that runs this one.
  for (const name of ['BASE_URL', 'DEV', 'MODE', 'PROD', 'SSR']) delete env[name]
  Object.assign(env, { NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' })
  const options = { cwd: SITE, env, maxBuffer: 64 * 2 ** 20 }
  const args = ['node_modules/astro/bin/astro.mjs', 'build']
  await promisify(execFile)(process.execPath, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`The build of Astro failed:\n${stdout}${stderr}`)
  })
}

if (import.meta.main) {
  await buildSite()
  console.log('The documentation is in dist/docs. A server shows the pages after its next start.')
}
