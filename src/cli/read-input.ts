import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<Buffer> {
  return file === '-' ? await buffer(process.stdin) : await readFile(file)
}
