import { execFile } from 'node:child_process'
import { glob, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '../..')
const GENERATED = ['test/graphql/generated/graphql.ts']
const SOURCES = ['codegen.ts', 'schema.graphql', 'docs/examples/graphql/*.graphql']

/** Generates the typed documents before the tests, if they are missing or out of date. */
export default async function generateTypedDocuments(): Promise<void> {
  const changes = await changesOf(SOURCES)
  const generations = await changesOf(GENERATED)
  const isCurrent = generations.length === GENERATED.length
  if (isCurrent && Math.max(...changes) < Math.min(...generations)) return
  await promisify(execFile)(process.execPath, ['codegen.ts'], { cwd: root })
}

/** When each of the files that exist was last changed. */
async function changesOf(patterns: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for await (const file of glob(patterns, { cwd: root })) {
    times.push((await stat(path.join(root, file))).mtimeMs)
  }
  return times
}
