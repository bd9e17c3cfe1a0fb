import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type LockFile, productionLockFile } from '../../scripts/release/production-lock-file.ts'
import { createSbom } from '../../scripts/release/sbom.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = async (file: string) => JSON.parse(await readFile(path.join(ROOT, file), 'utf8'))

/** Licenses that let a program under the MIT license use a package: they ask for their text and notices to be kept. */
const SUITABLE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
]

interface Sbom {
  readonly bomFormat: string
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly hashes: readonly { readonly alg: string }[]
  readonly licenses: readonly { readonly license: { readonly id?: string } }[]
}

describe('the SBOM of the package', () => {
  let sbom: Sbom
  let lock: LockFile
  beforeAll(async () => {
    sbom = JSON.parse(await createSbom(ROOT))
    lock = await read('package-lock.json')
  })

  test('is CycloneDX, of this version', async () => {
    const { name, version } = await read('packages/posthorn/package.json')
    expect(sbom.bomFormat).toBe('CycloneDX')
    expect(sbom.metadata.component).toMatchObject({ name, version })
  })

  test('names each dependency of package.json, and everything that these need', async () => {
    const { dependencies, optionalDependencies } = await read('packages/posthorn/package.json')
    const versions = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`))
    const missing = Object.entries({ ...dependencies, ...optionalDependencies })
      .map(([name, version]) => `${name}@${version}`)
      .filter((one) => !versions.has(one))
    expect(missing).toEqual([])
    const refs = new Set(sbom.components.map((component) => component['bom-ref']))
    for (const { dependsOn } of sbom.dependencies) {
      expect(dependsOn.filter((ref) => !refs.has(ref))).toEqual([])
    }
    const locked = Object.entries(
      productionLockFile(lock, { dependencies, optionalDependencies }).packages,
    )
    for (const [location, { version }] of locked) {
      if (location !== '') expect(versions).toContain(`${nameOf(location)}@${version}`)
    }
  })

  test('names no package that only development needs', async () => {
    const locked = Object.entries(lock.packages)
    const onlyForDevelopment = sbom.components.filter(({ name, version }) =>
      locked
        .filter(([location, one]) => nameOf(location) === name && one.version === version)
        .every(([, { dev }]) => dev),
    )
    expect(onlyForDevelopment.map(({ name }) => name)).toEqual([])
    const names = sbom.components.map(({ name }) => name)
    for (const name of ['vitest', 'vite', 'typescript', 'prisma', 'react', '@mantine/core']) {
      expect(names).not.toContain(name)
    }
  })

  test('has the checksum and the license of each package, and each license suits MIT', () => {
    const unsuitable = sbom.components.filter(
      ({ hashes, licenses }) =>
        hashes[0]?.alg !== 'SHA-512' ||
        licenses.length === 0 ||
        licenses.some(({ license }) => !SUITABLE.includes(license.id ?? '')),
    )
    expect(unsuitable.map(({ name, licenses }) => [name, JSON.stringify(licenses)])).toEqual([])
  })
})

function nameOf(location: string): string {
  return location.split('node_modules/').at(-1) as string
}
