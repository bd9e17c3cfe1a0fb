import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The file of a built site with the sources of its inline scripts, as a Content-Security-Policy names them. */
const INLINE_SCRIPTS = 'inline-scripts.json'

/** The server allows these scripts, and no others that are inline. */
export async function writeInlineScripts(folder: string): Promise<void> {
  const sources = new Set<string>()
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.html')) continue
    const html = await readFile(path.join(folder, file), 'utf8')
    for (const [, script = ''] of html.matchAll(INLINE)) sources.add(sourceOf(script))
  }
  await writeFile(path.join(folder, INLINE_SCRIPTS), JSON.stringify([...sources].toSorted()))
}

const INLINE = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs

const sourceOf = (script: string) =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`
