import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { buildSchema, parse, print, Source } from 'graphql'

/*
 * `node codegen.ts` writes typed documents, made from the committed schema: no server and no network are needed. Its
 * libraries are those of the command `graphql-codegen`, which brings 190 more packages.
 */

type Output = Parameters<typeof codegen>[0]

interface Documents {
  /** A pattern of files. */
  readonly from: string
  readonly folder: string
}

const DOCUMENTS: readonly Documents[] = [
  { from: 'src/console/**/*.graphql', folder: 'src/console/generated/' },
  { from: 'docs/examples/graphql/*.graphql', folder: 'test/graphql/generated/' },
]

const root = import.meta.dirname
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const sdl = read('schema.graphql')
const schema = parse(sdl)
const schemaAst = buildSchema(sdl)
const imports = { importExtension: '.ts' } as const

for (const { from, folder } of DOCUMENTS) {
  const files = globSync(from, { cwd: root }).toSorted()
  const outputs = await preset.buildGeneratesSection({
    schema,
    schemaAst,
    documents: files.map(documentIn),
    baseOutputDir: folder,
    presetConfig: { fragmentMasking: false },
    config: {
      ...imports,
      useTypeImports: true,
      scalars: { DateTime: 'string', JSON: 'unknown', Scope: 'string' },
    },
    plugins: [],
    pluginMap: {},
  })
  mkdirSync(path.join(root, folder), { recursive: true })
  await Promise.all(outputs.map(write))
}

function documentIn(file: string): Output['documents'][number] {
  const document = parse(new Source(read(file), file))
  return { location: file, document, rawSDL: print(document) }
}

async function write(output: Output): Promise<void> {
  writeFileSync(path.join(root, output.filename), await codegen({ ...output, ...imports }))
}
