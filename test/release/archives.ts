import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { VERSION } from '../../src/lib/version.ts'
import { runProgram } from '../support/installed-program.ts'
import { packPackage } from '../support/packed-package.ts'
import { createClone } from './clone.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const TOOLS = path.join(import.meta.dirname, 'tools')

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>
}

/** The packages that are published. */
export const PACKAGES: readonly Manifest[] = globSync('packages/*/package.json', { cwd: ROOT })
  .toSorted()
  .map((file) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')))

/** Whether a package can be required, too. */
export function isCommonJs({ exports }: Manifest): boolean {
  return JSON.stringify(exports).includes('"require"')
}

/** Packs every package: the server from the present source, the others from the last commit. By their names. */
export async function packArchives(folder: string): Promise<ReadonlyMap<string, string>> {
  await using clone = await createClone()
  const archives = new Map([['posthorn', await packPackage(folder)]])
  for (const { name } of PACKAGES) {
    if (archives.has(name)) continue
    const options = ['--workspace', name, '--pack-destination', folder]
    const { code, output } = await clone.run('npm', 'pack', ...options)
    if (code !== 0) throw new Error(output)
    const file = `${name.replace('@', '').replace('/', '-')}-${VERSION}.tgz`
    archives.set(name, path.join(folder, file))
  }
  return archives
}

/** Installs an archive in an empty folder, as its users do. */
export async function installArchive(archive: string, folder: string): Promise<void> {
  await mkdir(folder)
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  await promisify(execFile)('npm', ['install', ...options, archive], { cwd: folder })
}

/** The path of another Node, or why there is none. */
export function otherNode(major: number) {
  const name = `node-${major}-${process.platform}-${process.arch}`
  const file = path.join(TOOLS, 'node_modules', name, 'bin/node')
  return {
    file,
    missing: existsSync(file) ? null : `there is no package with Node ${major} for this platform`,
  }
}

/** Runs a tool that checks packages. Returns its exit code and what it prints. */
export async function check(tool: string, ...args: readonly string[]): Promise<[number, string]> {
  const file = path.join(TOOLS, 'node_modules/.bin', tool)
  const env = { ...process.env, NO_COLOR: '1' }
  const { code, stdout, stderr } = await runProgram(file, args, { env })
  return [code, stdout + stderr]
}
