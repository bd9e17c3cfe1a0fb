import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { FILES, fileAddress, type Site, targetOf } from '../pages/addresses.ts'
import { withLinks } from '../pages/markdown-links.ts'
import { ROOT } from '../pages/page.ts'

/** Copies the files of the repository to which pages link, where no repository can be linked to. */
export async function writeLinkedFiles(folder: string, site: Site): Promise<void> {
  for (const file of linkedFiles(site)) {
    const copy = path.join(folder, FILES, file)
    await mkdir(path.dirname(copy), { recursive: true })
    await cp(path.join(ROOT, file), copy)
  }
}

/** Also the pictures: the pages as Markdown show them. */
function linkedFiles(site: Site): Set<string> {
  const found = new Set<string>()
  for (const page of site.pages) {
    withLinks(page.body, (link, kind) => {
      const target = targetOf(page, link, site.pages)
      const address =
        kind === 'picture' ? pictureAddress(site, target.file) : fileAddress(site, target)
      if (target.page === null && address?.startsWith(`${site.base}/${FILES}/`))
        found.add(target.file)
      return link
    })
  }
  return found
}

/** The address of a picture of a page as Markdown. */
export const pictureAddress = ({ base }: Site, file: string) => `${base}/${FILES}/${file}`
