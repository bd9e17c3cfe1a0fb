import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LeftOutReport } from './test/support/left-out-report.ts'
import { pureTests } from './test/support/pure-tests.ts'
import { temporaryFolder } from './test/support/temporary-folder.ts'

// For this process, the processes of the tests, and the programs that they start.
process.env['TMPDIR'] = temporaryFolder()
// They load the same packages and sources, in hundreds of processes. `npm ci` deletes the compiled files.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
)

/** These start nothing, so they need neither Postgres nor a build. */
const PURE = pureTests(fileURLToPath(new URL('.', import.meta.url)))

/** What `npm test` leaves out: kills, hostile databases and whole programs. They stand beside what they test. */
const SLOW = 'test/**/*.slow.test.ts'

/** The stories of the console drive a browser. */
const CONSOLE = 'test/console/**/*.test.ts'
const SLOW_STORIES = 'test/console/**/*.slow.test.ts'

const postgres = ['test/support/postgres.ts']
const browser = ['test/console/built-console.ts', 'test/console/started-once.ts']

interface OnChange {
  readonly folders: readonly string[]
  readonly include?: readonly string[]
  /** Runs before its tests. */
  readonly globalSetup: string[]
}

/** `npm test` leaves these out, too. CI runs them when what they test changes, and every night: see `.ci/changed`. */
const ON_CHANGE: Record<string, OnChange> = {
  deploy: { folders: ['deploy'], globalSetup: postgres },
  docs: { folders: ['docs', 'site'], globalSetup: postgres },
  examples: {
    folders: ['examples'],
    globalSetup: [
      ...[...postgres, 'test/console/built-console.ts', 'test/examples/support/built-example.ts'],
    ],
  },
  pages: { folders: ['pages'], include: [SLOW_STORIES], globalSetup: browser },
  receiver: { folders: ['receiver'], globalSetup: postgres },
  release: { folders: ['release'], globalSetup: postgres },
  slow: { folders: [], include: [SLOW], globalSetup: postgres },
}
const filesOf = ({ folders, include = [] }: OnChange) => [
  ...folders.map((folder) => `test/${folder}/**/*.test.ts`),
  ...include,
]

/** Packages bring tests of their own. */
const PACKAGES = '**/node_modules/**'

/** Even on two processors: a file waits for time-outs, Postgres and other processes. More files only wait for each other. */
const SIDE_BY_SIDE = { maxWorkers: 4, sequence: { groupOrder: 1 } }

export default defineConfig({
  resolve: {
    // The file that Node itself resolves, as for all packages: there must be one `graphql`.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    // Files share a process: that spares a third of the processor time.
    isolate: false,
    // Only for tests that hang: on a busy machine each wait of a test may take up to four times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // As long as `until` of test/support waits on a busy machine. The default is one second.
    expect: { poll: { timeout: 60_000 } },
    // For the tests that measure memory.
    execArgv: ['--expose-gc'],
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['packages/console/**', '**/generated/**'],
      reporter: ['text-summary', 'html'],
    },
    reporters: [...configDefaults.reporters, new LeftOutReport(Object.keys(ON_CHANGE))],
    // One group after another.
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: PURE,
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: [CONSOLE, ...Object.values(ON_CHANGE).flatMap(filesOf), ...PURE, PACKAGES],
          globalSetup: postgres,
          ...SIDE_BY_SIDE,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: [CONSOLE],
          exclude: [SLOW, ...PURE, PACKAGES],
          globalSetup: browser,
          ...SIDE_BY_SIDE,
        },
      },
      ...Object.entries(ON_CHANGE).map(([name, project]) => ({
        extends: true as const,
        test: {
          name,
          include: filesOf(project),
          exclude: [...(name === 'slow' ? [SLOW_STORIES] : []), ...PURE, PACKAGES],
          globalSetup: project.globalSetup,
          ...SIDE_BY_SIDE,
        },
      })),
    ],
  },
})
