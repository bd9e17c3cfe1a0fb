import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileAddress, markdownAddressOf, type Site, targetOf } from '../pages/addresses.ts'
import { withLinks } from '../pages/markdown-links.ts'
import { sectionsOf } from '../pages/order.ts'
import { firstSentence, type Page } from '../pages/page.ts'
import { pictureAddress } from './linked-files.ts'

/** Writes each page as Markdown beside its HTML, and what https://llmstxt.org describes: a list of them, and all in one. */
export async function writeMarkdown(folder: string, site: Site): Promise<void> {
  for (const page of site.pages) {
    const file = path.join(folder, `${page.path}.md`)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, markdownOf(page, site))
  }
  await writeFile(path.join(folder, 'llms.txt'), listOf(site))
  const all = site.pages.map((page) => markdownOf(page, site)).join('\n---\n\n')
  await writeFile(path.join(folder, 'llms-full.txt'), all)
}

function markdownOf(page: Page, site: Site): string {
  const body = withLinks(page.body, (link, kind) => {
    const target = targetOf(page, link, site.pages)
    if (kind === 'picture') return pictureAddress(site, target.file)
    if (target.page === null) return fileAddress(site, target)
    return `${markdownAddressOf(site, target.page.path)}${target.anchor}`
  })
  return `# ${page.title}\n\n${body.trimEnd()}\n`
}

const SUMMARY =
  'Posthorn sends webhooks: it signs events, delivers them at least once, retries for days and shows every attempt. One process, one Postgres.'

function listOf(site: Site): string {
  const { base, pages } = site
  const line = ({ path: name, title, description }: Page) =>
    `- [${title}](${markdownAddressOf(site, name)}): ${firstSentence(description)}`
  const texts = sectionsOf(pages).map(
    (section) => `## ${section.label}\n\n${section.pages.map(line).join('\n')}\n`,
  )
  const whole = `Every page is one Markdown file; ${base}/llms-full.txt has all of them.`
  return `# Posthorn\n\n> ${SUMMARY}\n\n${whole}\n\n${texts.join('\n')}`
}
