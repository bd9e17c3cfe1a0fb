import { execFile } from 'node:child_process'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')

/* What `npm ci` installs and prints. Packages that few tests need have a lock file of their own: see `requirePackages`. */

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

test('`npm ci` does not warn that a package wants a newer Node, and still names an error', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-npm-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const dependencies = { local: 'file:local' }
  const engines = { node: '>=99' }
  const local = { name: 'local', version: '1.0.0', engines }
  await mkdir(path.join(folder, 'local'))
  await writeJson(path.join(folder, 'local/package.json'), local)
  await writeJson(path.join(folder, 'package.json'), { name: 'clone', dependencies })
  const packages = {
    '': { name: 'clone', dependencies },
    'node_modules/local': { resolved: 'local', link: true },
    local,
  }
  const lock = { name: 'clone', lockfileVersion: 3, requires: true, packages }
  await writeJson(path.join(folder, 'package-lock.json'), lock)
  expect(await npmCi(folder)).toContain('EBADENGINE')
  await copyFile(path.join(ROOT, '.npmrc'), path.join(folder, '.npmrc'))
  expect(await npmCi(folder)).not.toMatch(/EBADENGINE|npm warn/)
  // Not in the lock file. A package of a registry would have to be asked for.
  await mkdir(path.join(folder, 'other'))
  await writeJson(path.join(folder, 'other/package.json'), { name: 'other', version: '1.0.0' })
  const changed = { name: 'clone', dependencies: { ...dependencies, other: 'file:other' } }
  await writeJson(path.join(folder, 'package.json'), changed)
  expect(await npmCi(folder)).toMatch(/npm error .*are in sync/)
})

const writeJson = (file: string, value: object) => writeFile(file, JSON.stringify(value))

/** What `npm ci` prints, with the settings of its folder alone. */
async function npmCi(folder: string): Promise<string> {
  const settings = Object.keys(process.env).filter((name) => /^npm_config_/i.test(name))
  const env = { ...process.env, ...Object.fromEntries(settings.map((name) => [name, undefined])) }
  const { stdout, stderr } = await promisify(execFile)('npm', ['ci'], { cwd: folder, env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}
