import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll } from 'vitest'

/** A new folder for the tests of a file or of a group: it is there for their hooks, and deleted after the last one. */
export function useFolder(prefix: string): { readonly path: string } {
  const folder = { path: '' }
  beforeAll(async () => {
    folder.path = await mkdtemp(path.join(tmpdir(), prefix))
    return () => rm(folder.path, { recursive: true, force: true })
  })
  return folder
}
