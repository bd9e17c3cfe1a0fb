import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  // In your project: http://127.0.0.1:4000/schema.graphql
  schema: '../../schema.graphql',
  documents: 'src/**/*.{ts,tsx}',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { DateTime: 'string', JSON: 'unknown', Scope: 'string' },
        strictScalars: true,
        enumType: 'string-literal',
        useTypeImports: true,
        // Documents are strings.
        documentMode: 'string',
        // `request` throws on errors, so no null stands for one.
        nullability: { errorHandlingClient: true },
      },
    },
  },
}

export default config
