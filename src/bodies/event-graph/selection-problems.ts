import { takeTurns } from '../../lib/take-turns.ts'
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

/** A selection as it was stored. */
export interface StoredSelection {
  readonly text: string
  readonly plan: SelectionPlan
}

export interface BrokenSelection<Selection> {
  readonly selection: Selection
  /** Sentences. */
  readonly problems: readonly string[]
  /** An event type that the selection names, and that the change concerns. */
  readonly eventType: string
}

/** The selections that a change of the catalogue breaks, with what was no problem before. Others run in between. */
export async function findBrokenSelections<Selection extends StoredSelection>(
  selections: readonly Selection[],
  before: readonly SourceType[],
  after: readonly SourceType[],
): Promise<BrokenSelection<Selection>[]> {
  const concerned = changedTypes(before, after)
  if (concerned.size === 0) return []
  const found = await takeTurns(selections, (selection) => {
    const { text, plan } = selection
    const eventType = plan.cases.map((one) => one.eventType).find((name) => concerned.has(name))
    if (eventType === undefined) return null
    const problems = selectionProblems(text, plan, after)
    if (problems.length === 0) return null
    const old = new Set(selectionProblems(text, plan, before))
    const added = problems.filter((problem) => !old.has(problem))
    return added.length > 0 ? { selection, problems: added, eventType } : null
  })
  return found.filter((one) => one !== null)
}

/** The event types that go away, or get another schema or another name in the event graph. */
function changedTypes(before: readonly SourceType[], after: readonly SourceType[]): Set<string> {
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
