import { statSync } from 'node:fs'
import path from 'node:path'
import type { Page } from './pages.ts'
import { BASE, REST, ROOT } from './site.ts'

/** The files of the repository that the site shows as a page. */
const REFERENCE = new Map([
  ['.env.example', 'reference/settings'],
  ['schema.graphql', 'reference/graphql'],
])

/** How a page is addressed: as HTML, or as Markdown beside it. */
export type Form = 'html' | 'markdown'

export function addressOf(name: string, form: Form): string {
  if (form === 'markdown' && name !== REST) return `${BASE}/${name}.md`
  return name === 'index' ? `${BASE}/` : `${BASE}/${name}/`
}

/** The body of a page with the addresses of the site in place of relative links. `seeFile` gets each file that is no page. */
export function withAddresses(
  page: Page,
  pages: readonly Page[],
  form: Form,
  seeFile: (file: string) => void = () => {},
): string {
  const known = new Set([REST, ...pages.map((one) => one.path)])
  return withLinks(page.body, (link, isPicture) => {
    if (isPicture && form === 'html') return link
    const [target = '', anchor = ''] = link.split(/(?=#)/)
    const file = path.posix.join('docs', path.posix.dirname(page.path), target)
    const [, name = ''] = /^docs\/(.+)\.md$/.exec(file) ?? []
    const shown = REFERENCE.get(file) ?? name
    if (known.has(shown)) return `${addressOf(shown, form)}${anchor}`
    if (!statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile()) return null
    seeFile(file)
    return `${BASE}/files/${file}`
  })
}

/** Replaces the targets of relative links and pictures, but for blocks of code. Null: only the text of the link stays. */
export function withLinks(
  markdown: string,
  redirect: (target: string, isPicture: boolean) => string | null,
): string {
  const replace = (all: string, mark: string, label: string, target: string) => {
    if (/^(#|\/|[a-z]+:)/.test(target)) return all
    const to = redirect(target, mark === '!')
    return to === null ? label : `${mark}[${label}](${to})`
  }
  return markdown
    .split(BLOCKS_OF_CODE)
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(LINK, replace) : part))
    .join('')
}

const BLOCKS_OF_CODE = /(^ *```.*?^ *```)/gms
const LINK = /(!?)\[((?:`[^`\n]*`|[^\][])*)\]\(([^)\s]+)\)/g
