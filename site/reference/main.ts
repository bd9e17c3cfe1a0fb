import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { explorerFiles } from './explorer.ts'
import { referencePages } from './pages.ts'

/** Not committed: the site is built from these pages and from those of `docs`. */
const PAGES = path.join(import.meta.dirname, '../.generated/reference')
const PUBLIC = path.join(import.meta.dirname, '../public')

await rm(PAGES, { recursive: true, force: true })
await writeAll(PAGES, '.md', await referencePages())
await writeAll(PUBLIC, '', explorerFiles())

async function writeAll(folder: string, ending: string, files: ReadonlyMap<string, string>) {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of files) await writeFile(path.join(folder, name + ending), text)
}
