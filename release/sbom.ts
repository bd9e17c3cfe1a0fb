import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type LockFile, productionLockFile } from './production-lock-file.ts'

/**
 * The software bill of materials of the package `posthorn`, in CycloneDX: what its users install. Needs no network. In this
 * repository itself, `npm sbom --omit dev` leaves out packages that are also dependencies of development, such as `graphql`.
 */
export async function createSbom(root: string): Promise<string> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(root, file), 'utf8'))
  const { name, version, license, dependencies, optionalDependencies } = await read(
    'packages/posthorn/package.json',
  )
  const manifest = { name, version, license, dependencies, optionalDependencies }
  const lock = productionLockFile((await read('package-lock.json')) as LockFile, manifest)
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-sbom-'))
  // npm names the project after its folder.
  const project = path.join(folder, name)
  try {
    await mkdir(project)
    await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest))
    await writeFile(path.join(project, 'package-lock.json'), JSON.stringify(lock))
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--offline']
    const { stdout } = await promisify(execFile)('npm', args, {
      cwd: project,
      maxBuffer: 64 * 1024 * 1024,
      // The program is npm.cmd on Windows, which needs a shell.
      shell: process.platform === 'win32',
    })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
