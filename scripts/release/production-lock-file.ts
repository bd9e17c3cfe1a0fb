import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** The part of `package-lock.json` that is needed here: https://docs.npmjs.com/cli/configuring-npm/package-lock-json. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

type Versions = Readonly<Record<string, string>>

/** The manifest of the package `posthorn`, as far as it says what is installed, and the lock file for it alone. */
export async function readProduction(
  root: string,
): Promise<{ manifest: LockedPackage; lock: LockFile }> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(root, file), 'utf8'))
  const { name, version, license, dependencies, optionalDependencies } = await read(
    'packages/posthorn/package.json',
  )
  const manifest = { name, version, license, dependencies, optionalDependencies }
  return { manifest, lock: productionLockFile(await read('package-lock.json'), manifest) }
}

/** The lock file of a project that has only these dependencies, with the versions of a larger lock file. */
export function productionLockFile(lock: LockFile, manifest: LockedPackage): LockFile {
  const found = new Map<string, LockedPackage>([['', manifest]])
  // A Map also iterates over what is added meanwhile.
  for (const [location, one] of found) {
    for (const name of neededBy(one)) {
      const needed = locationOf(lock, location, name)
      if (needed === undefined)
        throw new Error(`package-lock.json lacks ${name}, which ${location} needs.`)
      if (!found.has(needed))
        found.set(needed, withoutFlags(lock.packages[needed] as LockedPackage))
    }
  }
  return { ...lock, packages: Object.fromEntries(found) }
}

function neededBy({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockedPackage): string[] {
  const peers = Object.keys(peerDependencies).filter(
    (name) => !peerDependenciesMeta[name]?.optional,
  )
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]
}

/** Looks for a package as Node does: in `node_modules` beside the package that needs it, then further up. */
function locationOf({ packages }: LockFile, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('node_modules/') - 1, 0))) {
    const candidate = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[candidate]) return candidate
    if (at === '') return undefined
  }
}

/** They say whether the larger project needs the package for development too. */
function withoutFlags(locked: LockedPackage): LockedPackage {
  const { dev: _dev, devOptional: _devOptional, peer: _peer, ...rest } = locked as Flagged
  return rest
}

type Flagged = LockedPackage & { readonly devOptional?: boolean; readonly peer?: boolean }
