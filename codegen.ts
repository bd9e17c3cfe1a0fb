import type { CodegenConfig } from '@graphql-codegen/cli'

/** Typed documents, made from the committed schema: no server and no network are needed. */
const typedDocuments = (documents: string) => ({
  preset: 'client' as const,
  documents,
  presetConfig: { fragmentMasking: false },
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    scalars: { DateTime: 'string', JSON: 'unknown' },
  },
})

const config: CodegenConfig = {
  importExtension: '.ts',
  schema: 'schema.graphql',
  generates: {
    'src/console/generated/': typedDocuments('src/console/**/*.graphql'),
    'test/graphql/generated/': typedDocuments('docs/examples/graphql/*.graphql'),
  },
}

export default config
