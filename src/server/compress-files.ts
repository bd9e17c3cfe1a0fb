import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Runs after the build of the console: writes compressed copies of its files, so that no request has to compress. The
 * HTML page is small and is not compressed.
 */
const folder = fileURLToPath(new URL('../../dist/console/', import.meta.url))
const COMPRESSIBLE = /\.(js|css|svg)$/

for (const file of await readdir(folder, { recursive: true })) {
  if (!COMPRESSIBLE.test(file)) continue
  const content = await readFile(folder + file)
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  await writeFile(`${folder}${file}.br`, await promisify(brotliCompress)(content, brotli))
  await writeFile(`${folder}${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}
