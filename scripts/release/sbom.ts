import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { readProduction } from './production-lock-file.ts'

/**
 * The software bill of materials of the package `posthorn`, in CycloneDX: what its users install. Needs no network. In this
 * repository itself, `npm sbom --omit dev` leaves out packages that are also dependencies of development, such as `graphql`.
 */
export async function createSbom(root: string): Promise<string> {
  const { manifest, lock } = await readProduction(root)
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-sbom-'))
  // npm names the project after its folder.
  const project = path.join(folder, 'posthorn')
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
