import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Tells browsers that a picture is as wide as the text; Astro supposes the width of the window. */
export async function writePictureSizes(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.html')) continue
    const file = path.join(folder, name)
    const html = await readFile(file, 'utf8')
    await writeFile(file, html.replaceAll(/(?<=<img [^>]*)sizes="[^"]*"/g, SIZES))
  }
}

const SIZES = 'sizes="(min-width: 50rem) 41rem, 100vw"'
