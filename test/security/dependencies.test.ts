import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = async (file: string) => await readFile(new URL(file, root), 'utf8')

interface Package {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly link?: boolean
  readonly resolved?: string
  readonly integrity?: string
}

async function lockedPackages(): Promise<[string, Package][]> {
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, Package>
  }
  // Without the packages of this repository.
  return Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
}

test('docs/dependencies.md justifies every dependency of the package once, and no others', async () => {
  const { dependencies } = JSON.parse(await read('packages/posthorn/package.json'))
  const listed = [...(await read('docs/dependencies.md')).matchAll(/^\| `([^`]+)` \|/gm)]
  expect(listed.map(([, name]) => name).toSorted()).toEqual(Object.keys(dependencies).toSorted())
})

const EXAMPLES = ['apollo', 'fetch', 'host', 'relay', 'shared', 'urql']

test('the examples use the versions that Posthorn uses', async () => {
  const { devDependencies: ours } = JSON.parse(await read('package.json'))
  const { dependencies: published } = JSON.parse(await read('packages/posthorn/package.json'))
  const differing: string[] = []
  for (const example of EXAMPLES) {
    const { dependencies, devDependencies } = JSON.parse(
      await read(`examples/${example}/package.json`),
    )
    for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      const expected = ours[name] ?? published[name] ?? version
      if (version !== expected || !/^\d/.test(version)) differing.push(`${example}: ${name}`)
    }
  }
  expect(differing).toEqual([])
})

test('versions are exact, so that every upgrade is a deliberate change', async () => {
  const { dependencies } = JSON.parse(await read('packages/posthorn/package.json'))
  const loose = Object.entries<string>(dependencies).filter(([, range]) => !/^\d/.test(range))
  expect(loose).toEqual([])
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
  const unverified = (await lockedPackages()).filter(
    ([, { resolved, integrity }]) =>
      // The lock file omits the URL of the default registry, so that a mirror works, but has any other URL.
      resolved !== undefined || !integrity?.startsWith('sha512-'),
  )
  expect(unverified.map(([path]) => path)).toEqual([])
})
