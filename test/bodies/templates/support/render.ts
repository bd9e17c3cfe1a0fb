import {
  compileTemplate,
  type Template,
} from '../../../../src/bodies/templates/compile-template.ts'
import {
  renderTemplate,
  type TemplateSource,
} from '../../../../src/bodies/templates/render-template.ts'
import { newBudget } from '../../../../src/lib/work-budget.ts'

/** The source of most tests. `data` and `previous` are JSON texts. */
export function sourceOf(data: string, change: Partial<TemplateSource> = {}): TemplateSource {
  return {
    event: {
      id: '0199b2ba-9c00-7000-8000-000000000001',
      type: 'order.paid',
      occurredAt: new Date('2026-11-27T12:00:00.000Z'),
      data,
      previous: null,
    },
    webhookId: 'wh_01k6z0c8p2e4v9xq7m3t5a1bcd',
    deliveryId: 'msg_01k6z0c8p2e4v9xq7m3t5a1bcd',
    deliveryUrl: 'https://posthorn.example.com/console/deliveries/msg_1',
    ...change,
  }
}

export function compiled(text: string): Template {
  const { template, issues } = compileTemplate(text, ['template'])
  if (!template) throw new Error(issues.map(({ detail }) => detail).join('\n'))
  return template
}

export function render(template: string, data: string, change?: Partial<TemplateSource>): string {
  return renderTemplate(compiled(template), sourceOf(data, change), newBudget())
}
