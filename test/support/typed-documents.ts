import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '../..')
const GENERATED = path.join(root, 'test/graphql/generated/graphql.ts')

/** Generates the typed documents of the examples before the tests, if they are missing or out of date. */
export default async function generateTypedDocuments(): Promise<void> {
  if (existsSync(GENERATED) && (await lastChange()) < (await stat(GENERATED)).mtimeMs) return
  await promisify(execFile)('npx', ['graphql-codegen', '--config', 'codegen.ts'], { cwd: root })
}

async function lastChange(): Promise<number> {
  const sources = ['codegen.ts', 'schema.graphql']
  for await (const file of glob('docs/examples/graphql/*.graphql', { cwd: root }))
    sources.push(file)
  const times = sources.map(async (file) => (await stat(path.join(root, file))).mtimeMs)
  return Math.max(...(await Promise.all(times)))
}
