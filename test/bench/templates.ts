import { newBudget } from '../../src/lib/work-budget.ts'
import { parseStoredTemplate } from '../../src/templates/compile-template.ts'
import { renderTemplate } from '../../src/templates/render-template.ts'
import type { TemplateSource } from '../../src/templates/template.ts'
import type { Bench } from './bench.ts'
import { percentile } from './percentile.ts'

const ROUNDS = 200
const PER_ROUND = 100

/** A message as people write one: paths, a list, a time, and functions. */
const TEMPLATE = `{
  "text": "Order {{ $.order.id }} of {{ $.customer.name | default("a guest") | truncate(100) }}",
  "blocks": [
    { "type": "header", "text": { "type": "plain_text", "text": "{{ event.type | truncate(150) }}" } },
    { "type": "section", "fields": [
      { "type": "plain_text", "text": "Total: {{ $.order.total }}" },
      { "type": "plain_text", "text": "City: {{ $.order.city | upper }}" },
      { "type": "plain_text", "text": "Articles: {{ $.order.lines[*].sku | join(", ") | truncate(200) }}" },
      { "type": "plain_text", "text": "Paid: {{ event.occurredAt | date("yyyy-MM-dd HH:mm") }}" } ] },
    { "type": "actions", "elements": [{ "type": "button", "url": {{ delivery.url }} }] } ],
  "first": {{ $.order.lines | first }},
  "before": {{ $previous.order.total }}
}`

const DATA = JSON.stringify({
  order: {
    ...{ id: 'ord_4711', city: 'Berlin', total: 150 },
    lines: Array.from({ length: 32 }, (_, n) => ({ sku: `sku-${n}`, price: 10 })),
  },
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
})

/** U: what a template costs for each delivery, without a database. */
export async function reportTemplates(bench: Bench): Promise<void> {
  const template = parseStoredTemplate(TEMPLATE)
  const source: TemplateSource = {
    event: {
      id: '0199b2ba-9c00-7000-8000-000000000001',
      type: 'order.paid',
      occurredAt: new Date(),
      data: DATA,
      previous: null,
    },
    webhookId: 'wh_01k6z0c8p2e4v9xq7m3t5a1bcd',
    deliveryId: 'msg_01k6z0c8p2e4v9xq7m3t5a1bcd',
    deliveryUrl: 'https://posthorn.example.com/console/deliveries/msg_01k6z0c8p2e4v9xq7m3t5a1bcd',
  }
  const rendering = microseconds(() => renderTemplate(template, source, newBudget()))
  const compiling = microseconds(() => parseStoredTemplate(TEMPLATE))
  bench.report({
    scenario: 'U',
    name: 'rendering a template with 1 KB of data, median',
    value: rendering,
    unit: 'µs',
    bound: { kind: 'at most', limit: 100 },
    also: { 'reading the template once': compiling, 'bytes of data': DATA.length },
  })
}

function microseconds(run: () => unknown): number {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    for (let i = 0; i < PER_ROUND; i++) run()
    // The first rounds are not compiled yet.
    if (round >= ROUNDS / 2) took.push(((performance.now() - startedAt) / PER_ROUND) * 1000)
  }
  return percentile(took, 0.5)
}
