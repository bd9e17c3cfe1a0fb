import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = async (file: string) => await readFile(new URL(file, root), 'utf8')

async function lockedPackages(file = 'package-lock.json') {
  const { packages } = JSON.parse(await read(file))
  // Without the packages of this repository.
  return Object.entries(packages as object).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
}

/** The files of the packages that `npm run install:all` installs. */
const ownPackages = (name: string) =>
  globSync(`{examples,test}/**/${name}`, {
    cwd: fileURLToPath(root),
    exclude: (file) => /node_modules|dist/.test(file),
  })

/** Packages that are there for another version. */
const OTHER_VERSION: readonly RegExp[] = [
  /^test\/openapi-client\/package.json: typescript$/,
  /^test\/react\/react-18\/package.json: /,
]

test('versions are exact, so that every upgrade is a deliberate change, and those of examples and tests are those of Posthorn', async () => {
  const { devDependencies: ours } = JSON.parse(await read('package.json'))
  const { dependencies: published } = JSON.parse(await read('packages/posthorn/package.json'))
  const versions: Record<string, string> = { ...ours, ...published }
  const differing = Object.keys(published).filter((name) => !/^\d/.test(published[name]))
  const files = ownPackages('package.json')
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const { dependencies, devDependencies } = JSON.parse(await read(file))
    for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      const where = `${file}: ${name}`
      if (OTHER_VERSION.some((other) => other.test(where))) continue
      versions[name] ??= version
      const exact = version.replace(/^npm:.+@/, '')
      if (version !== versions[name] || !/^\d/.test(exact)) differing.push(where)
    }
  }
  expect(differing).toEqual([])
})

test('no runtime package needs an install script', async () => {
  const { allowScripts } = JSON.parse(await read('package.json'))
  const needed: string[] = []
  for (const [path, { dev, optional, hasInstallScript }] of await lockedPackages()) {
    if (!hasInstallScript || dev) continue
    const name = path.split('node_modules/').at(-1) as string
    // A denied script is not needed; the embedded Postgres is optional and unused with DATABASE_URL.
    if (allowScripts[name] === false || (allowScripts[name] === true && optional)) continue
    needed.push(name)
  }
  expect(needed).toEqual([])
})

test('every package comes from a registry, with a checksum', async () => {
  const files = ['package-lock.json', ...ownPackages('package-lock.json')]
  expect(files.length).toBeGreaterThan(5)
  const unverified: string[] = []
  for (const file of files) {
    for (const [path, { resolved, integrity }] of await lockedPackages(file)) {
      // Without the URL of the default registry, a mirror works too.
      const isFromRegistry =
        resolved === undefined || /^https:\/\/registry\.npmjs\.org\//.test(resolved)
      if (!isFromRegistry || !integrity?.startsWith('sha512-')) unverified.push(`${file}: ${path}`)
    }
  }
  expect(unverified).toEqual([])
})
