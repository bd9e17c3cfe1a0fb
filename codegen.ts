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

/** Documents as strings, whose types need no package: they are published to hosts that may not even have `graphql`. */
const documentsWithoutDependencies = (documents: string) => {
  const { config, presetConfig, ...options } = typedDocuments(documents)
  return {
    ...options,
    // For servers that run trusted documents only.
    presetConfig: { ...presetConfig, persistedDocuments: { hashAlgorithm: 'sha256' as const } },
    config: { ...config, documentMode: 'string' as const, immutableTypes: true },
    hooks: {
      beforeOneFileWrite: [
        (_path: string, content: string) =>
          content.replaceAll(
            "'@graphql-typed-document-node/core'",
            "'../client/typed-document.ts'",
          ),
      ],
    },
  }
}

const config: CodegenConfig = {
  importExtension: '.ts',
  schema: 'schema.graphql',
  generates: {
    'src/console/generated/': typedDocuments('src/console/**/*.graphql'),
    'test/graphql/generated/': typedDocuments('docs/examples/graphql/*.graphql'),
    'packages/react/src/generated/': documentsWithoutDependencies(
      'packages/react/src/**/*.graphql',
    ),
  },
}

export default config
