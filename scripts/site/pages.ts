import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { referencePages } from './reference/pages.ts'
import { ROOT } from './site.ts'

/** A page of the site, as its Markdown has it. */
export interface Page {
  /** Such as `guides/filters`, or `index`. */
  readonly path: string
  /** The first heading, without marks. */
  readonly title: string
  /** The first sentence, without marks. */
  readonly description: string
  /** What follows the first heading. */
  readonly body: string
}

/** All pages: the first one, the pages to which it links in that order, and the reference. */
export async function readPages(): Promise<Page[]> {
  const files = globSync('**/*.md', { cwd: path.join(ROOT, 'docs') })
  const written = files.map((file) => {
    const text = readFileSync(path.join(ROOT, 'docs', file), 'utf8')
    return readPage(file.replaceAll('\\', '/').replace(/\.md$/, ''), text)
  })
  const made = [...(await referencePages())].map(([name, text]) =>
    readPage(`reference/${name}`, text),
  )
  const index = written.find((page) => page.path === 'index') as Page
  const place = (page: Page) => (page === index ? -1 : index.body.indexOf(`](${page.path}.md`))
  return [...written.toSorted((one, other) => place(one) - place(other)), ...made]
}

function readPage(name: string, text: string): Page {
  const [, heading = '', body = ''] =
    /^# ([^\n]+)\n+(.*)$/s.exec(text.replaceAll('\r\n', '\n')) ?? []
  if (heading === '') throw new Error(`${name}.md has no title: begin the page with "# Title".`)
  const [paragraph = ''] = body.split('\n\n')
  return {
    path: name,
    title: withoutMarks(heading),
    description: firstSentence(withoutMarks(paragraph)),
    body,
  }
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

export function firstSentence(text: string): string {
  const sentence = /^.*?[.!?:](?=\s+[A-Z]|\s*$)/.exec(text)?.[0] ?? text
  return sentence.replace(/:$/, '.')
}
