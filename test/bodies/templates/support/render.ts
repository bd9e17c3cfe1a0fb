import {
  compileTemplate,
  renderTemplate,
  type Template,
} from '../../../../src/bodies/templates/template.ts'
import { newBudget } from '../../../../src/lib/work-budget.ts'

/** What most tests render a template with. */
const EVENT = {
  id: '0199b2ba-9c00-7000-8000-000000000001',
  type: 'order.paid',
  occurredAt: new Date('2026-11-27T12:00:00.000Z'),
  previous: null,
}
const DELIVERY = {
  id: '0199b2ba-9c00-7000-8000-000000000002',
  webhookId: '0199b2ba-9c00-7000-8000-000000000003',
  publicUrl: 'https://posthorn.example.com',
}

export function compiled(text: string): Template {
  const { template, issues } = compileTemplate(text)
  if (!template) throw new Error(issues.map(({ detail }) => detail).join('\n'))
  return template
}

/** `data` and `previous` are JSON texts. */
export function render(
  template: string,
  data: string,
  change: { readonly previous?: string | null; readonly publicUrl?: string | null } = {},
): string {
  const [event, delivery] = [
    { ...EVENT, data, ...change },
    { ...DELIVERY, ...change },
  ]
  return renderTemplate(compiled(template), event, delivery, newBudget())
}
