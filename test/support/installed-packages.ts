import path from 'node:path'
import type { TestOptions } from 'vitest'
import { installPackages } from '../../scripts/install/install-packages.ts'
import { leftOutFor } from './left-out.ts'

const ROOT = path.join(import.meta.dirname, '../..')

/**
 * The options of tests that need packages which `npm ci` of the repository does not install, because few tests need them:
 * a folder has them in its own package.json and lock file. Installs them there once; without a registry, the tests are
 * left out.
 */
export async function requirePackages(folder: string): Promise<TestOptions> {
  return leftOutFor(await installPackages(path.resolve(ROOT, folder)))
}
