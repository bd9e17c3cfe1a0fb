import { readdir } from 'node:fs/promises'
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
