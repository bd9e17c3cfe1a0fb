import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** What is written by people, by its ending. */
const TEXT = /\.(ts|tsx|js|cjs|sql|prisma|graphql|json|ya?ml|sh)$/

/** The files in folders that people write, relative to the root: nothing that is generated. */
export async function filesOf(root: string, folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(path.join(root, folder), { recursive: true })
      return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    }),
  )
  return found
    .flat()
    .filter((file) => TEXT.test(file) && !/\/(generated|node_modules)\//.test(file))
}
