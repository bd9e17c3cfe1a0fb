import type { Issue } from '../../api/use-action.ts'

/** What the server says about each part of a filter, by its place in the JSON: `all.0.value`. */
export type FilterIssues = ReadonlyMap<string, string>

/** The server names the field first, as `filter.all[0].value must be …`. The row of a condition shows the rule alone. */
export function filterIssues(issues: readonly Issue[]): FilterIssues {
  const byPlace = new Map<string, string>()
  for (const { path, message } of issues) {
    const [, ...place] = path
    byPlace.set(place.join('.'), withoutField(message))
  }
  return byPlace
}

/** The same for the messages that a form has. */
export const withoutFields = (issues: FilterIssues) =>
  [...issues].map(([at, message]) => [at, withoutField(message)] as const)

function withoutField(message: string): string {
  const rule = message.replace(/^filter(Text)?\S* /, '')
  return `${rule[0]?.toUpperCase() ?? ''}${rule.slice(1)}`
}

/** The message for a field of the condition at a place. `null`: the condition itself. */
export function issueAt(issues: FilterIssues, place: string, field: string | null): string | null {
  return issues.get([place, field].filter(Boolean).join('.')) ?? null
}

/** The issues that belong to no condition of the builder, each with its place. */
export function otherIssues(issues: FilterIssues, places: readonly string[]): string[] {
  const owned = (at: string) =>
    places.some((place) =>
      [null, 'path', 'op', 'value'].some(
        (field) => at === [place, field].filter(Boolean).join('.') && at !== '',
      ),
    )
  return [...issues]
    .filter(([at]) => !owned(at))
    .map(([at, message]) => (at === '' ? message : `${at}: ${message}`))
}
