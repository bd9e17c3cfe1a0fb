import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/*
 * Runs after the build of the console: writes compressed copies of its files, so that no request has to compress. The
 * HTML page is small and is not compressed. The argument is the folder of the build.
 */
const folder = process.argv[2] ?? path.join(import.meta.dirname, '../../dist/console')
const COMPRESSIBLE = /\.(js|css|svg)$/

for (const file of await readdir(folder, { recursive: true })) {
  if (!COMPRESSIBLE.test(file)) continue
  const content = await readFile(path.join(folder, file))
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  await writeFile(path.join(folder, `${file}.br`), await promisify(brotliCompress)(content, brotli))
  await writeFile(path.join(folder, `${file}.gz`), await promisify(gzip)(content, { level: 9 }))
}
