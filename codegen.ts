import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  parse,
  print,
  Source,
} from 'graphql'

/*
 * `node codegen.ts` writes typed documents, made from the committed schema: no server and no network are needed. Its
 * libraries are those of the command `graphql-codegen`, which brings 190 more packages.
 */

type Output = Parameters<typeof codegen>[0]

/** The documents of the console, and the folder of their types. */
const DOCUMENTS = 'packages/console/**/*.graphql'
const FOLDER = 'packages/console/generated/'

/** The types whose settings the console reads all, so that a new one needs no change of a document. */
const SETTINGS_OF = ['Organization', 'Webhook']

const root = import.meta.dirname
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const sdl = read('schema.graphql')
const schema = parse(sdl)
const schemaAst = buildSchema(sdl)
const imports = { importExtension: '.ts' } as const

const outputs = await preset.buildGeneratesSection({
  schema,
  schemaAst,
  documents: [
    ...SETTINGS_OF.map(settingsFragment),
    ...globSync(DOCUMENTS, { cwd: root }).toSorted().map(documentIn),
  ],
  baseOutputDir: FOLDER,
  presetConfig: { fragmentMasking: false },
  config: {
    ...imports,
    useTypeImports: true,
    scalars: { DateTime: 'string', JSON: 'unknown', Scope: 'string' },
  },
  plugins: [],
  pluginMap: {},
})
mkdirSync(path.join(root, FOLDER), { recursive: true })
await Promise.all(outputs.map(write))

/** A fragment of all settings of a type: the fields that its update has, and that need no selection. */
function settingsFragment(type: string): Output['documents'][number] {
  const fields = (schemaAst.getType(type) as GraphQLObjectType).getFields()
  const input = schemaAst.getType(`Update${type}Input`) as GraphQLInputObjectType
  const names = Object.keys(input.getFields()).filter((name) => {
    const field = fields[name]
    return field && isLeafType(getNamedType(field.type))
  })
  const text = `fragment SettingsOf${type} on ${type} { ${names.join(' ')} }`
  return { location: `SettingsOf${type}`, document: parse(text), rawSDL: text }
}

function documentIn(file: string): Output['documents'][number] {
  const document = parse(new Source(read(file), file))
  return { location: file, document, rawSDL: print(document) }
}

async function write(output: Output): Promise<void> {
  writeFileSync(path.join(root, output.filename), await codegen({ ...output, ...imports }))
}
