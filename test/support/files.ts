import { glob, readdir, stat } from 'node:fs/promises'
import path from 'node:path'

const SOURCE_FILE = /\.(ts|tsx|js|cjs|sql|prisma|graphql|json|ya?ml|sh)$/

/** The source files in folders, relative to the root, without generated and built ones. */
export async function filesOf(root: string, folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(path.join(root, folder), { recursive: true })
      return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    }),
  )
  return found
    .flat()
    .filter(
      (file) =>
        SOURCE_FILE.test(file) && !/\/(generated|__generated__|dist|node_modules)\//.test(file),
    )
}

/** Whether a file was built after the last change of its sources. */
export async function isBuiltFrom(
  root: string,
  built: string,
  sources: readonly string[],
  isMade: (name: string) => boolean,
): Promise<boolean> {
  const builtAt = await changedAt(path.join(root, built))
  for await (const file of glob(sources, { cwd: root, exclude: isMade })) {
    if ((await changedAt(path.join(root, file))) > builtAt) return false
  }
  return builtAt > 0
}

/** Zero for a missing file. */
async function changedAt(file: string): Promise<number> {
  const found = await stat(file).catch(() => null)
  return found?.mtimeMs ?? 0
}
