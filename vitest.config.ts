import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    // The file that Node itself takes, as all packages do: there must be one `graphql`.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/typed-documents.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores, shared with Postgres.
    maxWorkers: 2,
  },
})
