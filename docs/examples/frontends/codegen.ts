import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/**/*.ts',
  generates: {
    'src/graphql/': {
      preset: 'client',
      config: {
        scalars: { DateTime: 'string', JSON: 'unknown', Scope: 'string' },
        strictScalars: true,
        enumType: 'string-literal',
        useTypeImports: true,
        // Documents are strings. Leave it out for Apollo Client and urql.
        documentMode: 'string',
        // Only for a client that throws on errors, as below. Needs graphql-sock.
        nullability: { errorHandlingClient: true },
      },
    },
  },
}

export default config
