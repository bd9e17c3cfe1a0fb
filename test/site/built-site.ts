import path from 'node:path'
import { waitForTurn } from '../../scripts/install/install-packages.ts'
import { buildSite } from '../../scripts/site/build.ts'
import { isBuiltFrom } from '../support/files.ts'
import { requirePackages } from '../support/installed-packages.ts'

export const ROOT = path.join(import.meta.dirname, '../..')

const FOLDER = path.join(ROOT, 'dist/docs')

/** The options of tests that need the site, which a machine without its packages cannot build. */
export const SITE = await requirePackages('scripts/site')

/** The folder of the built site. Builds it if a source is newer: once, also for several processes. */
export async function builtSite(): Promise<string> {
  await using _alone = await waitForTurn(FOLDER)
  if (!(await isBuilt())) await buildSite()
  return FOLDER
}

const SOURCES = [
  'docs/**/*.*',
  'scripts/site/**/*.*',
  'src/**/*.ts',
  'schema.graphql',
  'package.json',
]
const MADE = /^(node_modules|generated|__generated__|\.generated|\.astro)$/

function isBuilt(): Promise<boolean> {
  // A build writes this file last.
  const built = 'dist/docs/inline-scripts.json'
  return isBuiltFrom(ROOT, built, SOURCES, (name) => MADE.test(path.basename(name)))
}
