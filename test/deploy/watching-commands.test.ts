import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { findProgram, whyMissing } from '../support/installed-program.ts'
import { logLine } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { blockOf, ROOT, runCommands, withReplaced } from './command-blocks.ts'

/** The commands of the other pages of docs/operate. test/docs.test.ts runs the SQL of the runbook. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-watching-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

const run = (text: string, cwd = folder) => runCommands(text, { cwd })

test('Prometheus accepts the configuration of metrics.md, and not one with a mistake', async ({
  skip,
}) => {
  const reason = whyMissing('promtool', 'apt-get install prometheus')
  if (reason) return skip(reason)
  await cp(path.join(ROOT, 'deploy/prometheus/rules.yaml'), path.join(folder, 'rules.yaml'))
  const file = path.join(folder, 'prometheus.yaml')
  const text = blockOf('metrics.md', 'scrape_configs')
  await writeFile(file, text)
  expect(await run(`${findProgram('promtool')} check config ${file}`)).toContain('SUCCESS')
  await writeFile(file, withReplaced(text, { scrape_interval: 'scrape_intervals' }))
  await expect(run(`${findProgram('promtool')} check config ${file}`)).rejects.toThrow(/FAILED/)
})

test('Posthorn starts with the variables of tracing.md, and not with a sampler that does not exist', async () => {
  await using database = await createTestDatabase()
  const text = blockOf('tracing.md', 'OTEL_EXPORTER_OTLP_ENDPOINT=http')
  const start = async (variables: string) => {
    const printed = await run(`set -a\n${variables}\nset +a\nenv | grep ^OTEL_`)
    const own = Object.fromEntries(
      printed
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    )
    return startPosthorn(['start', '--role', 'api'], {
      environment: { ...testEnvironment(database.url), POSTHORN_LOG_LEVEL: 'info', ...own },
    })
  }
  await using posthorn = await start(text)
  await logLine(posthorn, { msg: 'ready' })
  await using wrong = await start(withReplaced(text, { parentbased_traceidratio: 'sometimes' }))
  expect(await wrong.ended).toBe(1)
  expect(wrong.stderr).toContain('OTEL_TRACES_SAMPLER')
})

test('the scenarios of sizing.md exist', async () => {
  const command = blockOf('sizing.md', 'npm run bench')
  const [, letters = ''] = /--only ([\w,]+)/.exec(command) ?? []
  const stopped = run(withReplaced(command, { '--only': '--count 0 --only' }), ROOT)
  const { stderr } = (await stopped.catch((error: unknown) => error)) as { stderr: string }
  const [, known = ''] = /Give --only letters of ([^.]*?), and/.exec(stderr) ?? []
  expect(known.split(', ')).toEqual(expect.arrayContaining(letters.split(',')))
})

test('the test that upgrading.md names exists, and reads the variable', async () => {
  const command = blockOf('upgrading.md', 'TEST_UPGRADE_FROM')
  const [, variable = '', file = ''] = /^(\w+)=\S+ npx vitest run (\S+)$/m.exec(command) ?? []
  expect(await readFile(path.join(ROOT, file), 'utf8')).toContain(variable)
})

test('jq understands the expressions of the runbook', async ({ skip }) => {
  const reason = whyMissing('jq')
  if (reason) return skip(reason)
  const page = await readFile(path.join(ROOT, 'docs/operate/runbook.md'), 'utf8')
  const commands = [...page.matchAll(/jq ('[^']+')/g)].map(([, expression = '']) => expression)
  expect(commands.length).toBeGreaterThan(3)
  const line = '{"level":"error","event":"request.finished","status":503,"durationMs":1500}'
  for (const expression of commands) {
    expect(await run(`echo '${line}' | jq -c ${expression}`)).toMatch(/^\{.*\}\n$/)
  }
  await expect(run(`echo '${line}' | jq 'select('`)).rejects.toThrow(/syntax error/)
})
