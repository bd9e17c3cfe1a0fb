import { defineCollection } from 'astro:content'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader } from 'astro/loaders'
import { addressOf, fileAddress, targetOf } from '../pages/addresses.ts'
import { withLinks } from '../pages/markdown-links.ts'
import { firstSentence, type Page, ROOT } from '../pages/page.ts'
import { siteOf } from '../pages/site.ts'

const site = siteOf(process.env)

/** Reads the pages of the repository, which have no front matter and link to each other as GitHub shows them. */
const loader: Loader = {
  name: 'posthorn-pages',
  async load({ store, parseData, renderMarkdown, generateDigest }) {
    store.clear()
    for (const page of site.pages) {
      const fileURL = pathToFileURL(path.join(ROOT, page.file))
      const body = withSiteLinks(page)
      const rendered = await renderMarkdown(body, { fileURL })
      rendered.html = withNames(rendered.html)
      const data = await parseData({ id: page.path, data: dataOf(page) })
      store.set({
        id: page.path,
        data,
        body,
        filePath: `../../${page.file}`,
        digest: generateDigest(body),
        rendered,
        assetImports: rendered.metadata?.imagePaths ?? [],
      })
    }
  },
}

function withSiteLinks(page: Page): string {
  return withLinks(page.body, (link, kind) => {
    // Astro makes its pictures smaller, and names them by their content.
    if (kind === 'picture') return link
    const target = targetOf(page, link, site.pages)
    if (target.page !== null) return `${addressOf(site, target.page.path)}${target.anchor}`
    return fileAddress(site, target)
  })
}

/** Names the blocks of code, which are regions where they scroll, and makes plain cells of headers without text. */
function withNames(html: string): string {
  let blocks = 0
  return html
    .replaceAll(/<pre(?=[ >])/g, () => `<pre aria-label="Code ${++blocks}"`)
    .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>')
}

function dataOf({ path: name, title, description }: Page) {
  const head = name === 'index' ? [{ tag: 'title', content: title }] : []
  return { title, description: firstSentence(description), head }
}

export const collections = { docs: defineCollection({ loader, schema: docsSchema() }) }
