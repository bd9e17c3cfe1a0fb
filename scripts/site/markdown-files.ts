import { cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { addressOf, withAddresses } from './links.ts'
import type { Page } from './pages.ts'
import { BASE, ROOT } from './site.ts'

const SUMMARY =
  'Posthorn sends webhooks: it signs events, delivers them at least once, retries for days and shows every attempt. One process, one Postgres.'

/** Writes each page as Markdown beside its HTML, and what https://llmstxt.org describes: a list of them, and all in one. */
export async function writeMarkdownFiles(folder: string, pages: readonly Page[]): Promise<void> {
  const files = new Set<string>()
  const texts = pages.map((page) => {
    const body = withAddresses(page, pages, 'markdown', (file) => files.add(file))
    return `# ${page.title}\n\n${body.trimEnd()}\n`
  })
  for (const [i, page] of pages.entries()) {
    await write(path.join(folder, `${page.path}.md`), texts[i] as string)
  }
  await write(path.join(folder, 'llms.txt'), listOf(pages))
  await write(path.join(folder, 'llms-full.txt'), texts.join('\n---\n\n'))
  for (const file of files) {
    const copy = path.join(folder, 'files', file)
    await mkdir(path.dirname(copy), { recursive: true })
    await cp(path.join(ROOT, file), copy)
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
}

function listOf(pages: readonly Page[]): string {
  const lines = pages.map(
    ({ path: name, title, description }) =>
      `- [${title}](${addressOf(name, 'markdown')}): ${description}`,
  )
  return `# Posthorn

> ${SUMMARY}

Every page is one Markdown file; ${BASE}/llms-full.txt has all of them. A server has REST as OpenAPI at /openapi.json.

## Pages

${lines.join('\n')}
`
}
