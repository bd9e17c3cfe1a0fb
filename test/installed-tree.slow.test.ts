import { lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')

/* What `npm ci` installs. Packages that few tests need have a lock file of their own: see `requirePackages`. */

test('`npm ci` installs at most 500 packages', async () => {
  const text = await readFile(path.join(ROOT, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, object> }
  const installed = Object.keys(packages).filter((at) => at.includes('node_modules/'))
  expect(installed.length).toBeGreaterThan(400)
  expect(installed.length).toBeLessThanOrEqual(500)
})

test('`npm ci` installs at most 860 MB', async () => {
  const sizes = new Map<number, number>()
  for (const entry of await readdir(path.join(ROOT, 'node_modules'))) {
    // Vitest and others write `.cache` and the like.
    if (!entry.startsWith('.')) await addSizes(path.join(ROOT, 'node_modules', entry), sizes)
  }
  const megabytes = [...sizes.values()].reduce((sum, size) => sum + size, 0) / 2 ** 20
  expect(megabytes).toBeGreaterThan(400)
  expect(megabytes).toBeLessThanOrEqual(860)
})

/** Adds what each file takes on the disk, by its inode: a file with two names counts once. */
async function addSizes(at: string, sizes: Map<number, number>): Promise<void> {
  const status = await lstat(at)
  sizes.set(status.ino, status.blocks * 512)
  if (!status.isDirectory()) return
  for (const name of await readdir(at)) await addSizes(path.join(at, name), sizes)
}
