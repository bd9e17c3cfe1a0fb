import type { SelectionPlan } from '../event-graph/plan-selection.ts'
import { compileTemplate, type Template } from '../templates/compile-template.ts'

/** What the deliveries of a webhook contain instead of the whole event, ready to be written. */
export type Body = { readonly plan: SelectionPlan } | { readonly template: Template }

/** The columns of a version. One of them is null. */
export interface StoredBody {
  /** JSON. */
  readonly plan: string | null
  readonly template: string | null
}

export function parseStoredBody({ plan, template: text }: StoredBody): Body {
  if (plan !== null) return { plan: JSON.parse(plan) }
  const { template, issues } = compileTemplate(text ?? '', ['template'])
  if (template) return { template }
  throw new Error(`A stored template is invalid: ${issues.map(({ detail }) => detail).join(' ')}`)
}
