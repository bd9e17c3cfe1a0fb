import { type FilterIssues, issueAt } from './condition-issues.ts'
import type { Condition } from './conditions.ts'
import { missingIn } from './print-conditions.ts'
import type { SuggestedField } from './suggest-fields.ts'

export interface ConditionProps {
  readonly condition: Condition
  /** 1 for the first condition. */
  readonly number: number
  /** Where the condition stands in the JSON. */
  readonly place: string
  readonly fields: readonly SuggestedField[]
  readonly issues: FilterIssues
  /** Whether a missing part is an error already. */
  readonly showsMissing: boolean
  onChange(condition: Condition): void
  remove(): void
}

/** What is wrong with a field of a condition: what is missing, or what the server says. */
export function errorOf(props: ConditionProps, field: 'path' | 'op' | 'value'): string | null {
  const { condition, showsMissing, issues, place } = props
  if (missingIn(condition) !== field) return issueAt(issues, place, field)
  const isWrong = condition.values.some((text) => text !== '') && condition.kind === 'number'
  if (!showsMissing && !isWrong) return null
  if (field === 'path') return 'Enter a field, such as $.total.'
  if (condition.kind === 'number') return 'Enter a number, such as 99.5.'
  return condition.kind === 'time'
    ? 'Enter a time, such as 2026-01-31T12:00:00Z.'
    : 'Enter a value.'
}
