import { statSync } from 'node:fs'
import path from 'node:path'
import { type Page, ROOT } from './page.ts'

/** How a build is addressed. */
export interface Site {
  /** The path of the site at its host, without a slash at the end: `/docs`, or empty. */
  readonly base: string
  /** Such as https://git.example/posthorn/blob/main: links to other files of the repository lead there. */
  readonly repository: string | null
  readonly pages: readonly Page[]
}

/** The folder of the site with the files of the repository to which its pages link. */
export const FILES = 'files'

/** The address of a page as HTML. */
export function addressOf({ base }: Pick<Site, 'base'>, page: string): string {
  return page === 'index' ? `${base}/` : `${base}/${page}/`
}

/** The address of a page as Markdown. */
export const markdownAddressOf = ({ base }: Pick<Site, 'base'>, page: string) =>
  `${base}/${page}.md`

/** What a relative link of a page means. */
export interface Target {
  /** The path of a page, if the link leads to one. */
  readonly page: Page | null
  /** Below the root of the repository. */
  readonly file: string
  /** With `#`, or empty. */
  readonly anchor: string
}

export function targetOf(from: Page, link: string, pages: readonly Page[]): Target {
  const [linked = '', anchor = ''] = link.split(/(?=#)/)
  const file = path.posix.join(path.posix.dirname(from.source), linked).replace(/\/$/, '')
  return { page: pages.find((page) => page.source === file) ?? null, file, anchor }
}

/** The address of a file that is no page: in the repository, or else its copy in the site. Null: it has none. */
export function fileAddress(site: Site, { file, anchor }: Target): string | null {
  if (site.repository !== null) return `${site.repository}/${file}${anchor}`
  return isFile(file) ? `${site.base}/${FILES}/${file}` : null
}

function isFile(file: string): boolean {
  return statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile() ?? false
}
