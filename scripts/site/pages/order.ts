import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withLinks } from './markdown-links.ts'

const INDEX = path.join(import.meta.dirname, '../../../docs/index.md')

/** The section with the pages that a build makes, which need not be linked. */
const REFERENCE = 'Reference'

interface Section<Page> {
  readonly label: string
  readonly pages: Page[]
}

/** The sections of the site: the headings of its first page, each with the pages to which it links, in their order. */
export function sectionsOf<Page extends { readonly path: string }>(
  pages: readonly Page[],
): Section<Page>[] {
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const texts = readFileSync(INDEX, 'utf8').split(/^##+ /m)
  const sections = texts.map((text): Section<Page> => {
    const [label = ''] = text.split('\n')
    return { label, pages: linkedPaths(text).flatMap((linked) => byPath.get(linked) ?? []) }
  })
  const placed = new Set(sections.flatMap((section) => section.pages))
  const made = pages
    .filter((page) => page.path !== 'index' && !placed.has(page))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  sections.find(({ label }) => label === REFERENCE)?.pages.unshift(...made)
  return sections.filter((section) => section.pages.length > 0)
}

/** The paths of the pages to which a text links: `guides/filters`. */
function linkedPaths(markdown: string): string[] {
  const paths: string[] = []
  withLinks(markdown, (link) => {
    paths.push(link.replace(/\.md(#.*)?$/, ''))
    return link
  })
  return paths
}
