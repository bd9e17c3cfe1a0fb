import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { installPackages } from '../../install/install-packages.ts'
import { requirePackages } from './installed-packages.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn packages '))
  // Nothing listens there.
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9')
  vi.stubEnv('npm_config_cache', path.join(folder, 'cache'))
  vi.stubEnv('POSTHORN_TEST_ALL', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** A package with a script that counts its installations, and the lock file of these dependencies. */
async function writePackage(
  dependencies: Record<string, string>,
  packages: Record<string, object> = {},
): Promise<void> {
  const name = 'package-with-few-users'
  const count = `node -e "require('node:fs').appendFileSync('installations', 'x')"`
  const manifest = { name, version: '1.0.0', dependencies, scripts: { postinstall: count } }
  const lock = { name, version: '1.0.0', lockfileVersion: 3, requires: true }
  const own = { '': { name, version: '1.0.0', hasInstallScript: true, dependencies } }
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(
    path.join(folder, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: { ...own, ...packages } }),
  )
}

/** A dependency that needs no registry. */
async function writeLocalPackage(name: string): Promise<void> {
  const local = path.join(folder, name)
  await mkdir(local)
  await writeFile(path.join(local, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
  await writePackage(
    { [name]: `file:${name}` },
    { [`node_modules/${name}`]: { resolved: name, link: true }, [name]: { version: '1.0.0' } },
  )
}

const installations = async () =>
  (await readFile(path.join(folder, 'installations'), 'utf8').catch(() => '')).length

test('packages are installed once, also for several callers, and again after a change of the lock file', async () => {
  await writeLocalPackage('first')
  const callers = [installPackages(folder), installPackages(folder), installPackages(folder)]
  expect(await Promise.all(callers)).toEqual([null, null, null])
  expect(await installations()).toBe(1)
  expect(await readdir(path.join(folder, 'node_modules'))).toContain('first')

  await writeLocalPackage('second')
  expect(await installPackages(folder)).toBeNull()
  expect(await installPackages(folder)).toBeNull()
  expect(await installations()).toBe(2)
})

const ABSENT = {
  'node_modules/absent': { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` },
}

test('without a registry, tests are left out, unless all must run', async () => {
  await writePackage({ absent: '1.0.0' }, ABSENT)
  const { skip, meta } = await requirePackages(folder)
  expect(skip).toBe(true)
  expect(meta?.leftOut).toMatch(/^the packages of .* are missing \(npm ci in this folder: ECONN/)
  vi.stubEnv('POSTHORN_TEST_ALL', '1')
  await expect(requirePackages(folder)).rejects.toThrow(/No test may be left out/)
  expect(await installations()).toBe(0)
})

test('a lock file that disagrees with its package.json is an error', async () => {
  await writeLocalPackage('first')
  const lock = await readFile(path.join(folder, 'package-lock.json'))
  await writeLocalPackage('second')
  await writeFile(path.join(folder, 'package-lock.json'), lock)
  await expect(installPackages(folder)).rejects.toThrow(/package-lock\.json.* are in sync/s)
})
