import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Writes compressed copies of the files of a build, so that no request has to compress. */
export async function compressFiles(folder: string, compressible: RegExp): Promise<void> {
  const files = await readdir(folder, { recursive: true })
  const chosen = files.filter((file) => compressible.test(file))
  await Promise.all(chosen.map((file) => compressFile(path.join(folder, file))))
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file)
  // 9 takes six times as long, for 0.7 % less.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, brotli))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}
