import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Reads a secret from a file that only its owner may read, or generates it and creates the file. Processes that start
 * together get the same secret: each links a temporary file into place, and only the first link succeeds.
 */
export async function ensureGeneratedSecret(file: string, generate: () => string): Promise<string> {
  const existing = await readGeneratedSecret(file)
  if (existing !== null) return existing
  await writeAtomically(file, generate(), (draft) =>
    link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    }),
  )
  return (await readFile(file, 'utf8')).trim()
}

export async function replaceGeneratedSecret(file: string, secret: string): Promise<void> {
  await writeAtomically(file, secret, (draft) => rename(draft, file))
}

/** The file never has half a secret, and is never readable by other users. */
async function writeAtomically(
  file: string,
  secret: string,
  moveIntoPlace: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(draft, `${secret}\n`, { flag: 'wx', mode: 0o600 })
    await moveIntoPlace(draft)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns `null` if the file does not exist. */
export async function readGeneratedSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
