import { readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishEvent } from '../receiver/support/deliveries.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runProgram } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { CASES, promtoolTests } from './support/alert-cases.ts'
import { type Prometheus, startPrometheus } from './support/prometheus.ts'

const RULES = path.resolve('deploy/prometheus/rules.yaml')
const RUNBOOK = readFileSync('docs/operate/runbook.md', 'utf8')
const dashboard = JSON.parse(readFileSync('deploy/grafana/posthorn.json', 'utf8'))

/** Grafana replaces its variables before it asks Prometheus. */
const PANELS: { title: string; expression: string }[] = dashboard.panels.flatMap(
  ({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    })),
)

/** The series that an expression reads, such as `up{job="posthorn"}`. */
function selectorsOf(expression: string): string[] {
  return [...expression.matchAll(/\b(?:posthorn|process|nodejs|up)[a-z0-9_]*(?:\{[^}]*\})/g)].map(
    ([selector]) => selector,
  )
}

test('every alert has its section in the runbook, a case in which it fires, and one in which it does not', () => {
  const rules = readFileSync(RULES, 'utf8')
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
  const links = [...rules.matchAll(/runbook: docs\/operate\/runbook\.md#(\w+)$/gm)]
  const sections = [...RUNBOOK.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(alerts.length).toBeGreaterThan(10)
  expect(sections).toEqual(alerts)
  expect(links.map(([, anchor]) => anchor)).toEqual(alerts.map((name) => name.toLowerCase()))
  const expected = CASES.flatMap(([, , ...all]) => all)
  for (const kind of ['quiet', 'fires'] as const) {
    const cases = expected.filter((one) => one[kind] !== undefined)
    expect(new Set(cases.map(({ alert }) => alert))).toEqual(new Set(alerts))
  }
})

test.each(RUNBOOK.split(/^## /m).slice(1))(
  'the runbook says what users see of an alert, what to look at and what to do: %#',
  (section) => {
    for (const part of ['**Users see**', '**Look at**', '**Do**']) {
      expect(section).toContain(part)
    }
  },
)

describe('with Prometheus', needs('prometheus'), () => {
  let receiver: Receiver
  let posthorn: TestApp
  let prometheus: Prometheus

  beforeAll(async () => {
    receiver = await startReceiver()
    posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
    await createWebhook(posthorn, receiver.url)
    prometheus = await startPrometheus(new URL(posthorn.app.url).host, RULES)
    const isThere = async (expression: string) => (await prometheus.query(expression)).length > 0
    // What happens before the first scrape is no increase.
    await until(() => isThere('posthorn_workers'), 'Prometheus has scraped')
    await publishEvent(posthorn, {})
    await receiver.arrival(1)
    await until(() => isThere('rate(posthorn_attempts_total[1m]) > 0'), 'the attempt is scraped')
  })
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await posthorn[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  async function requireSeries(expression: string): Promise<void> {
    for (const selector of selectorsOf(expression)) {
      const found = await prometheus.query(`count(${selector})`)
      expect(found, `${selector} has series`).toHaveLength(1)
    }
  }

  test.each(PANELS)('the dashboard shows $title: $expression', async ({ expression }) => {
    await requireSeries(expression)
    const result = await prometheus.query(expression)
    // These show only what is above 0.
    if (!expression.endsWith('> 0')) expect(result).not.toEqual([])
  })

  test('Prometheus evaluates every rule, each reads series that exist, and none fires', async () => {
    const read = async () => {
      type Rule = Record<'name' | 'query' | 'health' | 'state', string>
      const { groups } = (await prometheus.get('/api/v1/rules')) as { groups: { rules: Rule[] }[] }
      return groups.flatMap(({ rules }) => rules)
    }
    const isKnown = async () => (await read()).every(({ health }) => health !== 'unknown')
    await until(isKnown, 'every rule was evaluated')
    const rules = await read()
    expect(rules.length).toBeGreaterThan(10)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    // A busy machine holds up a thread for a moment: such a rule waits ('pending'), and does not fire.
    const unexpected = rules.filter(({ name, state }) =>
      name === 'PosthornEventLoopLag' ? state === 'firing' : state !== 'inactive',
    )
    expect(unexpected.map(({ name }) => name)).toEqual([])
    for (const { query } of rules) {
      expect(selectorsOf(query), query).not.toEqual([])
      await requireSeries(query)
    }
  })
})

test('promtool accepts the rules, and they fire when they should', needs('promtool'), async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'posthorn-alerts-'))
  const cases = path.join(folder.path, 'cases.json')
  await writeFile(cases, JSON.stringify(promtoolTests(RULES)))
  for (const args of [
    ['check', 'rules', RULES],
    ['test', 'rules', cases],
  ]) {
    expect(await runProgram('promtool', args)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('SUCCESS'),
    })
  }
})
