import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '../../support/pages.ts'
import type { Reader } from '../../support/reader.ts'

/** The sources in place of the packages, which are built only when they are packed. */
const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/'@posthorn\/client'/g, 'packages/client/src/index.ts'],
  [/'@posthorn\/receiver'/g, 'packages/receiver/src/index.ts'],
  [/'@posthorn\/receiver\/express'/g, 'packages/receiver/src/frameworks/express.ts'],
  [/'@posthorn\/receiver\/hono'/g, 'packages/receiver/src/frameworks/hono.ts'],
  [/'@posthorn\/receiver\/fastify'/g, 'packages/receiver/src/frameworks/fastify.ts'],
]

/** Writes a program of the reader, and checks its types. */
export async function checkTypes(reader: Reader, file: string, program: string): Promise<void> {
  const used = SOURCES.reduce(
    (text, [name, source]) => text.replaceAll(name, `'${ROOT}${source}'`),
    program,
  )
  await writeFile(path.join(reader.folder, file), used)
  const config = JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: [file] })
  await writeFile(path.join(reader.folder, 'guide.tsconfig.json'), config)
  // The compiler prints errors on standard output.
  await reader.type('npx tsc --project guide.tsconfig.json >&2')
}

/** Those of a reader. */
export const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}
