import type { Issue } from '../../api/use-action.ts'

interface Refusal {
  readonly message: string
  readonly issues: readonly Issue[]
}

/** What was wrong, by the field it belongs beside. What belongs beside none of them is under `form`. */
export type Problems<Field extends string> = Partial<Record<Field | 'form', string>>

export function problemsByField<Field extends string>(
  { message, issues }: Refusal,
  fields: readonly Field[],
): Problems<Field> {
  if (issues.length === 0) return { form: message } as Problems<Field>
  const problems: Partial<Record<string, string>> = {}
  for (const issue of issues) {
    const field = fields.find((name) => name === issue.path[0]) ?? 'form'
    problems[field] = [problems[field], issue.message].filter(Boolean).join(' ')
  }
  return problems as Problems<Field>
}
