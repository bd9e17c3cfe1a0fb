import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Writes the list of inline scripts, as a Content-Security-Policy names them: the server allows these and no others. */
export async function writeInlineScripts(folder: string): Promise<void> {
  const sources = new Set<string>()
  for (const file of globSync('**/*.html', { cwd: folder })) {
    const html = await readFile(path.join(folder, file), 'utf8')
    for (const [, script = ''] of html.matchAll(INLINE)) sources.add(sourceOf(script))
  }
  await writeFile(path.join(folder, 'inline-scripts.json'), JSON.stringify([...sources].toSorted()))
}

const INLINE = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs

const sourceOf = (script: string) =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`
