import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** A temporary folder for the tests of a file. */
export async function useFolder(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `posthorn ${name} `))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}
