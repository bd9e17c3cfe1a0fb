import { createHash } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readPages } from '../../scripts/site/pages.ts'
import { builtSite, SITE } from './built-site.ts'

const pages = await readPages()

describe('the built site', SITE, () => {
  let folder: string
  /** The text of each HTML file, by its address. */
  const html = new Map<string, string>()

  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  const files = (pattern: string) =>
    globSync(pattern, { cwd: folder }).map((file) => file.replaceAll('\\', '/'))

  beforeAll(async () => {
    folder = await builtSite()
    for (const file of files('**/*.html')) {
      html.set(`/docs/${file.replace(/index\.html$/, '')}`, read(file))
    }
  })

  test('has each page as HTML with its title, and as Markdown', () => {
    expect(pages.length).toBeGreaterThan(30)
    for (const { path: name, title } of pages) {
      const page = html.get(name === 'index' ? '/docs/' : `/docs/${name}/`)
      expect(page, name).toContain('<h1 id="_top"')
      expect(read(`${name}.md`)).toMatch(`# ${title}\n`)
    }
  })

  test('has no link that leads nowhere', () => {
    const broken: string[] = []
    for (const [address, page] of html) {
      for (const [, link = ''] of page.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^[a-z]+:/.test(link)) continue
        const reason = reasonOfFailure(new URL(link, `https://docs.example${address}`))
        if (reason) broken.push(`${address}: ${link} (${reason})`)
      }
    }
    expect(broken).toEqual([])
  })

  test('has no link in its Markdown that leads nowhere', () => {
    const broken: string[] = []
    for (const file of [...files('**/*.md'), 'llms.txt', 'llms-full.txt']) {
      if (file.startsWith('files/')) continue
      for (const [, link = ''] of withoutCode(read(file)).matchAll(/\]\((\/docs\/[^)\s]*)\)/g)) {
        const { pathname } = new URL(link, 'https://docs.example')
        if (!exists(pathname)) broken.push(`${file}: ${link}`)
      }
      // A relative link would lead elsewhere, depending on the address at which the Markdown is read.
      expect(withoutCode(read(file)), file).not.toMatch(/\]\((?!\/|#|[a-z]+:)[^)\s]+\)/)
    }
    expect(broken).toEqual([])
  })

  test('has a list of all pages for programs that read them, each with a sentence', () => {
    const list = read('llms.txt')
    expect(list).toMatch(/^# Posthorn\n\n> .+\n/)
    for (const { path: name, title } of pages) {
      expect(list).toContain(`- [${title}](/docs/${name}.md): `)
      expect(read('llms-full.txt')).toContain(`# ${title}\n`)
    }
  })

  test('lists its inline scripts, and has no others', () => {
    const listed: string[] = JSON.parse(read('inline-scripts.json'))
    for (const [address, page] of html) {
      for (const [, attributes = '', script = ''] of page.matchAll(
        /<script([^>]*)>(.*?)<\/script>/gs,
      )) {
        if (/\ssrc=/.test(attributes)) continue
        const hash = createHash('sha256').update(script).digest('base64')
        expect(listed, address).toContain(`'sha256-${hash}'`)
      }
      expect(page, address).not.toMatch(/<[a-z-]+\s[^>]*\son[a-z]+="/)
    }
  })

  /** Null if the address has a file and, with an anchor, an element. */
  function reasonOfFailure({ pathname, hash }: URL): string | null {
    if (!exists(pathname)) return 'no file'
    const target = html.get(pathname)
    const id = decodeURIComponent(hash.slice(1))
    if (id === '' || target === undefined) return null
    return target.includes(`id="${id}"`) ? null : 'no such anchor'
  }

  const known = new Set<string>()
  function exists(pathname: string): boolean {
    if (known.size === 0) {
      for (const file of readdirSync(folder, { recursive: true })) {
        known.add(`/docs/${String(file).replaceAll('\\', '/')}`)
      }
    }
    return known.has(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
  }
})

const withoutCode = (markdown: string) =>
  markdown.replaceAll(/^ *```.*?^ *```/gms, '').replaceAll(/`[^`\n]*`/g, '')
