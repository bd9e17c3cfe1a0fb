import { statSync } from 'node:fs'
import path from 'node:path'
import type { Page } from './pages.ts'
import { BASE, REST, ROOT } from './site.ts'

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
  const replace = (all: string, label: string, link: string) => {
    if (/^(#|\/|[a-z]+:)/.test(link)) return all
    const isPicture = all.startsWith('!')
    if (isPicture && form === 'html') return all
    const [target = '', anchor = ''] = link.split(/(?=#)/)
    const file = path.posix.join('docs', path.posix.dirname(page.path), target)
    const [, name = ''] = /^docs\/(.+)\.md$/.exec(file) ?? []
    if (known.has(name)) return `[${label}](${addressOf(name, form)}${anchor})`
    if (!statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile()) return label
    seeFile(file)
    return `${isPicture ? '!' : ''}[${label}](${BASE}/files/${file})`
  }
  return page.body
    .split(BLOCKS_OF_CODE)
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(LINK, replace) : part))
    .join('')
}

const BLOCKS_OF_CODE = /(^ *```.*?^ *```)/gms
const LINK = /!?\[((?:`[^`\n]*`|[^\][])*)\]\(([^)\s]+)\)/g
