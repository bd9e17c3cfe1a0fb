import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Writes compressed copies of the files of a build, so that no request has to compress. */
export async function compressFiles(folder: string, compressible: RegExp): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (compressible.test(file)) await compressFile(path.join(folder, file))
  }
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file)
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, brotli))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}
