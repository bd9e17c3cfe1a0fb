import { compileSelection } from './compile-selection.ts'
import { namesOfTypes } from './event-schema.ts'
import type { SourceType } from './event-types.ts'
import type { SelectionPlan } from './plan-selection.ts'

/** What a stored selection names and the catalogue does not have, or has elsewhere: sentences. */
export function selectionProblems(
  text: string,
  plan: SelectionPlan,
  catalogue: readonly SourceType[],
): string[] {
  const compiled = compileSelection(text, catalogue)
  if (compiled.plan === null) return compiled.issues.map(({ message }) => message)
  return comparePlans(plan, compiled.plan)
}

/** What the plan of the same selection in another catalogue does not take as before: a sentence for each event type. */
export function comparePlans(was: SelectionPlan, is: SelectionPlan): string[] {
  return was.cases.flatMap(({ eventType, plan }) => {
    const other = is.cases.find((one) => one.eventType === eventType)
    if (!other) return [`The event type ${eventType} has another type in the event graph.`]
    const isSame = JSON.stringify(other.plan) === JSON.stringify(plan)
    return isSame ? [] : [`A selected field of ${eventType} has another JSON type or property.`]
  })
}

/** The event types that go away, or get another schema or another name in the event graph. */
export function changedTypes(
  before: readonly SourceType[],
  after: readonly SourceType[],
): Set<string> {
  const [oldNames, newNames] = [namesOfTypes(before), namesOfTypes(after)]
  const schemas = new Map(after.map(({ name, schema }) => [name, schema]))
  return new Set(
    before
      .filter(
        ({ name, schema }) =>
          schemas.get(name) !== schema || newNames.get(name) !== oldNames.get(name),
      )
      .map(({ name }) => name),
  )
}
