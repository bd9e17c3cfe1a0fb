import { execFile } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { compressFiles } from '../compress-files.ts'
import { installPackages } from '../install/install-packages.ts'
import { writeInlineScripts } from './after/inline-scripts.ts'
import { writeLinkedFiles } from './after/linked-files.ts'
import { writeMarkdown } from './after/markdown.ts'
import { writePictureSizes } from './after/picture-sizes.ts'
import { ROOT } from './pages/page.ts'
import { siteOf } from './pages/site.ts'

const SITE = import.meta.dirname

interface BuildOptions {
  /** The folder of the built site. Default: `dist/docs`. */
  readonly out?: string | undefined
  /** The path of the site at its host. Default: `/docs`. */
  readonly base?: string | undefined
  /** Where the files of the repository can be read, such as https://git.example/posthorn/blob/main. Default: nowhere. */
  readonly repository?: string | undefined
}

/** Builds the site of the documentation. Installs its packages first, where they are missing. */
export async function buildSite({ out = 'dist/docs', base, repository }: BuildOptions = {}) {
  const missing = await installPackages(SITE)
  if (missing !== null) throw new Error(missing)
  // The pages that are made of the program's own sources.
  await run('reference/main.ts')
  const folder = path.resolve(ROOT, out)
  // A server that runs may serve the earlier site until the new one is whole.
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  const environment = {
    DOCS_OUT: unfinished,
    DOCS_BASE: (base ?? '/docs').replace(/\/$/, ''),
    DOCS_REPOSITORY: repository?.replace(/\/$/, '') ?? '',
  }
  await run('node_modules/astro/bin/astro.mjs', 'build', environment)
  const site = siteOf(environment)
  await writeMarkdown(unfinished, site)
  await writeLinkedFiles(unfinished, site)
  await writePictureSizes(unfinished)
  await compressFiles(unfinished, /\.(html|js|css|svg|md|txt|json|ya?ml)$/)
  await writeInlineScripts(unfinished)
  await rm(folder, { recursive: true, force: true })
  await rename(unfinished, folder)
}

/** Runs a program of Node. Its output is in the error if it fails. */
async function run(program: string, argument?: string, environment: NodeJS.ProcessEnv = {}) {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    ASTRO_TELEMETRY_DISABLED: '1',
  }
  // Those of a build or a test that runs this one.
  for (const name of VARIABLES_OF_VITE) delete env[name]
  Object.assign(env, environment)
  const args = [program, ...(argument === undefined ? [] : [argument])]
  const options = { cwd: SITE, env, maxBuffer: 64 * 2 ** 20 }
  await promisify(execFile)(process.execPath, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
  })
}

const VARIABLES_OF_VITE = ['BASE_URL', 'DEV', 'MODE', 'PROD', 'SSR']

// `npm run build:docs -- --base / --out dist/site`
if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, base: { type: 'string' }, repository: { type: 'string' } },
  })
  await buildSite(values)
  const { out = 'dist/docs' } = values
  console.log(
    `The documentation is in ${out}. A server that runs serves dist/docs after its next start.`,
  )
}
