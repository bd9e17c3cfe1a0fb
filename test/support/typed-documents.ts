import { execFile } from 'node:child_process'
import { glob, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '../..')
const GENERATED = path.join(root, 'test/graphql/generated/graphql.ts')
const SOURCES = ['codegen.ts', 'schema.graphql', 'docs/examples/graphql/*.graphql']

/** Generates the typed documents before the tests, if they are missing or out of date. */
export default async function generateTypedDocuments(): Promise<void> {
  const generatedAt = (await stat(GENERATED).catch(() => null))?.mtimeMs ?? 0
  for await (const file of glob(SOURCES, { cwd: root })) {
    if ((await stat(path.join(root, file))).mtimeMs < generatedAt) continue
    await promisify(execFile)(process.execPath, ['codegen.ts'], { cwd: root })
    return
  }
}
