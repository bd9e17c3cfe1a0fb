import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  // In your project: http://127.0.0.1:4000/schema.graphql
  schema: '../../schema.graphql',
  documents: 'src/documents.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { DateTime: 'string', JSON: 'unknown' },
        useTypeImports: true,
        // The components show no data of a result with errors, so no null stands for one.
        nullability: { errorHandlingClient: true },
      },
    },
  },
}

export default config
