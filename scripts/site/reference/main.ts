import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { referencePages } from './pages.ts'

/** Not committed: the site is built from these pages and from those of `docs`. */
const PAGES = path.join(import.meta.dirname, '../.generated/reference')

await rm(PAGES, { recursive: true, force: true })
await mkdir(PAGES, { recursive: true })
for (const [name, text] of await referencePages()) {
  await writeFile(path.join(PAGES, `${name}.md`), text)
}
