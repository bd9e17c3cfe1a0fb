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
  /** As strings, which need no parser: the module of their type. They are published to hosts that may not even have `graphql`. */
  readonly asStrings?: string
}

const DOCUMENTS: readonly Documents[] = [
  { from: 'src/console/**/*.graphql', folder: 'src/console/generated/' },
  { from: 'docs/examples/graphql/*.graphql', folder: 'test/graphql/generated/' },
  {
    from: 'src/mcp/documents/*.graphql',
    folder: 'src/mcp/generated/',
    asStrings: '../typed-document.ts',
  },
]

const STRINGS = { documentMode: 'string', immutableTypes: true }

const root = import.meta.dirname
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const sdl = read('schema.graphql')
const schema = parse(sdl)
const schemaAst = buildSchema(sdl)
const imports = { importExtension: '.ts' } as const

for (const { from, folder, asStrings } of DOCUMENTS) {
  const files = globSync(from, { cwd: root }).toSorted()
  const outputs = await preset.buildGeneratesSection({
    schema,
    schemaAst,
    documents: files.map(documentIn),
    baseOutputDir: folder,
    presetConfig: {
      fragmentMasking: false,
      // For servers that run trusted documents only.
      ...(asStrings && { persistedDocuments: { hashAlgorithm: 'sha256' } }),
    },
    config: {
      ...imports,
      useTypeImports: true,
      scalars: { DateTime: 'string', JSON: 'unknown', Scope: 'string' },
      ...(asStrings && STRINGS),
    },
    plugins: [],
    pluginMap: {},
  })
  mkdirSync(path.join(root, folder), { recursive: true })
  await Promise.all(outputs.map((output) => write(output, asStrings)))
}

function documentIn(file: string): Output['documents'][number] {
  const document = parse(new Source(read(file), file))
  return { location: file, document, rawSDL: print(document) }
}

async function write(output: Output, typeModule: string | undefined): Promise<void> {
  const content = await codegen({ ...output, ...imports })
  writeFileSync(
    path.join(root, output.filename),
    typeModule === undefined
      ? content
      : content.replaceAll("'@graphql-typed-document-node/core'", `'${typeModule}'`),
  )
}
