import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * A secret that is made once and kept in a file that only its owner reads. Two processes that start together agree on
 * one: it is written aside and linked into place, which fails for the second.
 */
export async function ensureGeneratedSecret(file: string, make: () => string): Promise<string> {
  const known = await readGeneratedSecret(file)
  if (known !== null) return known
  await writeAside(file, make(), (draft) =>
    link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    }),
  )
  return (await readFile(file, 'utf8')).trim()
}

/** Keeps another secret in the file, in place of what it held. */
export async function replaceGeneratedSecret(file: string, secret: string): Promise<void> {
  await writeAside(file, secret, (draft) => rename(draft, file))
}

/** Half of a secret is never in place, and none is ever readable by others. */
async function writeAside(
  file: string,
  secret: string,
  putInPlace: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(draft, `${secret}\n`, { flag: 'wx', mode: 0o600 })
    await putInPlace(draft)
  } finally {
    await rm(draft, { force: true })
  }
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
