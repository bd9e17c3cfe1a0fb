import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { logLine } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { blockOf, quoted, ROOT, runCommands, withReplaced } from './command-blocks.ts'

/** The commands of the other pages of docs/operate. test/docs/facts.test.ts runs the SQL of the runbook. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-watching-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

const run = (text: string, cwd = folder) => runCommands(text, { cwd })

test(
  'Prometheus accepts the configuration of metrics.md, and not one with a mistake',
  needs('promtool'),
  async () => {
    const text = blockOf('metrics.md', 'static_configs')
    expect(await promtool('check config', text)).toContain('SUCCESS')
    const mistaken = withReplaced(text, { scrape_interval: 'scrape_intervals' })
    await expect(promtool('check config', mistaken)).rejects.toThrow(/FAILED/)
  },
)

test(
  'in Kubernetes, Prometheus scrapes the port for metrics of each pod, and names the pod',
  needs('promtool'),
  async () => {
    const port = (name: string, number: number, app = 'posthorn') =>
      `{ targets: ['10.0.0.1:${number}'], labels: { __meta_kubernetes_pod_name: a-pod, ` +
      `__meta_kubernetes_pod_label_app_kubernetes_io_name: ${app}, __meta_kubernetes_pod_container_port_name: ${name} } }`
    const pods = [port('metrics', 9464), port('http', 4000), port('metrics', 9465, 'another')]
    // Debian's Prometheus does not know Kubernetes, so the labels of pods are given.
    const discovery = /kubernetes_sd_configs:\n(?: {6}.*\n)+/
    const text = blockOf('metrics.md', 'kubernetes_sd_configs')
    expect(text).toMatch(discovery)
    const config = text.replace(discovery, `static_configs: [${pods.join(', ')}]\n`)
    const found = await promtool('check service-discovery --timeout 1s', config, 'posthorn')
    const targets = (JSON.parse(found) as { labels: Record<string, string> }[]).flatMap(
      ({ labels }) => (labels['__address__'] === undefined ? [] : [labels]),
    )
    expect(targets).toMatchObject([
      { __address__: '10.0.0.1:9464', instance: 'a-pod', job: 'posthorn' },
    ])
  },
)

/** Runs promtool on a configuration that stands beside the rules. */
async function promtool(command: string, config: string, ...args: string[]): Promise<string> {
  await cp(path.join(ROOT, 'deploy/prometheus/rules.yaml'), path.join(folder, 'rules.yaml'))
  const file = path.join(folder, 'prometheus.yaml')
  await writeFile(file, config)
  return await run([quoted(programPath('promtool')), command, quoted(file), ...args].join(' '))
}

test(
  'the command of metrics.md gives each alert a link to its section of the runbook',
  needs('promtool'),
  async () => {
    const rules = path.join(ROOT, 'deploy/prometheus/rules.yaml')
    await run(
      withReplaced(blockOf('metrics.md', 'runbook_url'), {
        'deploy/prometheus/rules.yaml': quoted(rules),
      }),
    )
    const changed = await readFile(path.join(folder, 'rules.yaml'), 'utf8')
    const links = [...changed.matchAll(/^ +runbook_url: (\S+)#(\w+)$/gm)]
    const alerts = [...changed.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
    expect(links.map(([, , anchor]) => anchor)).toEqual(alerts.map((name) => name.toLowerCase()))
    expect(new Set(links.map(([, page]) => page))).toEqual(
      new Set(['https://git.example.com/posthorn/blob/main/docs/operate/runbook.md']),
    )
    const checked = await run(`${quoted(programPath('promtool'))} check rules rules.yaml`)
    expect(checked).toContain(`SUCCESS: ${alerts.length} rules found`)
  },
)

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

test('jq understands the expressions of the runbook', needs('jq'), async () => {
  const page = await readFile(path.join(ROOT, 'docs/operate/runbook.md'), 'utf8')
  const commands = [...page.matchAll(/jq ('[^']+')/g)].map(([, expression = '']) => expression)
  expect(commands.length).toBeGreaterThan(3)
  const lines = [
    '{"level":"error","event":"request.finished","status":503,"durationMs":1500}',
    '{"level":"warn","event":"runner.replaced"}',
  ].join('\n')
  for (const expression of commands) {
    expect(await run(`echo '${lines}' | jq -c ${expression}`)).toMatch(/^\{.*\}\n$/)
  }
  await expect(run(`echo '${lines}' | jq 'select('`)).rejects.toThrow(/syntax error/)
})
