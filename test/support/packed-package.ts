import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { writePackage } from '../../scripts/release/posthorn-package.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const PACKAGE = path.join(ROOT, 'packages/posthorn')

/**
 * Packs the package as `npm pack` does, with the program compiled from the present source, and what this clone has built.
 * Returns the archive.
 */
export async function packPackage(folder: string): Promise<string> {
  const staging = path.join(folder, 'package')
  await stagePackage(staging)
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', ['pack', ...options], { cwd: staging })
  const [{ filename }] = JSON.parse(stdout)
  return path.join(folder, filename)
}

/** Writes the files of the package into a folder. */
export async function stagePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const file of ['package.json', 'posthorn.js', 'README.md']) {
    await cp(path.join(PACKAGE, file), path.join(folder, file))
  }
  await writePackage(folder)
}
