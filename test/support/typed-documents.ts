import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { isBuiltFrom } from './files.ts'

const root = path.join(import.meta.dirname, '../..')
const GENERATED = 'test/graphql/generated/graphql.ts'
const SOURCES = ['codegen.ts', 'schema.graphql', 'docs/examples/graphql/*.graphql']

/** Generates the typed documents before the tests, if they are missing or out of date. */
export default async function generateTypedDocuments(): Promise<void> {
  if (await isBuiltFrom(root, GENERATED, SOURCES, () => false)) return
  await promisify(execFile)(process.execPath, ['codegen.ts'], { cwd: root })
}
