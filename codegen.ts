import type { CodegenConfig } from '@graphql-codegen/cli'

/** Typed documents, made from the committed schema: no server and no network are needed. */
const config: CodegenConfig = {
  importExtension: '.ts',
  schema: 'schema.graphql',
  generates: {
    'test/graphql/generated/': {
      preset: 'client',
      documents: 'docs/examples/graphql/*.graphql',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        scalars: { DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
}

export default config
