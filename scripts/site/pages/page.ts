import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sectionsOf } from './order.ts'

export const ROOT = path.join(import.meta.dirname, '../../..')

/** A page of the site, as its Markdown has it. */
export interface Page {
  /** Such as `guides/filters`, or `index`. */
  readonly path: string
  /** Below the root of the repository. */
  readonly file: string
  /** As if all pages were in `docs`, so that relative links from and to generated pages work. */
  readonly source: string
  /** The first heading, without marks. */
  readonly title: string
  /** The first paragraph, without marks. */
  readonly description: string
  /** What follows the first heading. */
  readonly body: string
}

/** Where the pages are: those of the repository, and those that programs make before a build. */
const FOLDERS = ['docs', 'scripts/site/.generated']

/** All pages in the order of the site. */
export function readPages(): Page[] {
  const pages = FOLDERS.flatMap((folder) =>
    globSync('**/*.md', { cwd: path.join(ROOT, folder) }).map((file) => readPage(folder, file)),
  )
  const byPath = new Map(pages.map((page) => [page.path, page]))
  if (byPath.size < pages.length) {
    const twice = pages.find((page) => byPath.get(page.path) !== page)
    throw new Error(`${twice?.file} is also in ${byPath.get(twice?.path ?? '')?.file}: remove one.`)
  }
  const first = byPath.get('index') as Page
  return [first, ...sectionsOf(pages).flatMap((section) => section.pages)]
}

function readPage(folder: string, name: string): Page {
  const relative = name.replaceAll('\\', '/')
  const file = `${folder}/${relative}`
  const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')
  const heading = /^# (.+)\n/.exec(text)
  if (!heading) throw new Error(`${file} does not begin with a heading: begin it with "# Title".`)
  const body = text.slice(heading[0].length).trimStart()
  return {
    path: relative.replace(/\.md$/, ''),
    file,
    source: `docs/${relative}`,
    title: withoutMarks(heading[1] ?? ''),
    description: withoutMarks(firstParagraph(body)),
    body,
  }
}

/** The first block that is neither a heading, a picture, a list, a table nor code. */
function firstParagraph(body: string): string {
  const blocks = body.replaceAll(/^```.*?^```/gms, '').split(/\n{2,}/)
  return blocks.find((block) => /^[^#!|<>\s-]/.test(block)) ?? ''
}

/** The text of Markdown without the marks of links, pictures, code and emphasis. */
export function withoutMarks(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The first sentence of a description, for lists of pages. */
export function firstSentence(description: string): string {
  const sentence = /^.*?[.!?:](?=\s+[A-Z]|\s*$)/.exec(description)?.[0] ?? description
  return sentence.replace(/:$/, '.')
}
