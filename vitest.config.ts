import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const CONSOLE = 'test/console/**/*.test.ts'

export default defineConfig({
  resolve: {
    // The file that Node itself takes, as all packages do: there must be one `graphql`.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // For those that measure memory.
    execArgv: ['--expose-gc'],
    // Two cores, shared with Postgres.
    maxWorkers: 2,
    // On a machine that others share a process may stand still for seconds. CI tries a test that failed once more, and
    // lists in the end what passed only then (`.ci/run`): each of those is to be looked at.
    retry: process.env['CI'] ? 1 : 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: [CONSOLE],
          globalSetup: ['test/support/postgres.ts', 'test/support/typed-documents.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: [CONSOLE],
          globalSetup: ['test/console/built-console.ts'],
          // A browser, a server and its Postgres: one at a time, after all others.
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
    ],
  },
})
