import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { POSTGRES_VERSIONS } from './support/postgres-programs.ts'

/*
 * `npm run test:matrix`: the tests of the server on every supported PostgreSQL, each configured by somebody else, in
 * processes of another time zone and language. `-- --version 15 test/graphql` runs some. Exits with 1 if a test failed.
 */

const { values, positionals } = parseArgs({
  options: { version: { type: 'string', multiple: true, default: POSTGRES_VERSIONS } },
  allowPositionals: true,
})

const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-matrix-'))
const lines: string[] = []
for (const version of values.version) {
  const report = path.join(folder, 'report.json')
  await runTests(version, report)
  const { failed, text } = await summaryOf(report)
  if (failed) process.exitCode = 1
  lines.push(`PostgreSQL ${version}: ${text}`)
}
await rm(folder, { recursive: true })
process.stdout.write(`\n${lines.join('\n')}\n`)

async function runTests(version: string, report: string): Promise<void> {
  const arguments_ = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', '--project', 'deploy'],
    ...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
    ...positionals,
  ]
  const vitest = spawn(process.execPath, arguments_, {
    stdio: 'inherit',
    env: {
      ...process.env,
      POSTHORN_TEST_POSTGRES: 'hostile',
      POSTHORN_TEST_POSTGRES_VERSION: version,
      TZ: 'Asia/Kolkata',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
    },
  })
  await once(vitest, 'close')
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly success: boolean
}

async function summaryOf(file: string): Promise<{ failed: boolean; text: string }> {
  const report = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => null,
  )
  await rm(file, { force: true })
  if (report === null) return { failed: true, text: 'the tests did not run' }
  const { numPassedTests: passed, numFailedTests: failing, numPendingTests: skipped } = report
  const text = `${passed} passed, ${failing} failed, ${skipped} skipped`
  return { failed: !report.success, text }
}
