import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * A secret that is made once and kept in a file that only its owner reads. Two processes that start together agree on
 * one: it is written aside and linked into place, which fails for the second.
 */
export async function ensureGeneratedSecret(file: string, make: () => string): Promise<string> {
  const known = await readGeneratedSecret(file)
  if (known !== null) return known
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(draft, `${make()}\n`, { flag: 'wx', mode: 0o600 })
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/** The secret in a file, or `null` where there is none. */
export async function readGeneratedSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
