import type { SourceType } from '../../event-graph/model.ts'
import type { TypeChange } from './compare-catalogue.ts'

/** The event types that are not archived, after changes. */
export function catalogueAfter(
  before: readonly SourceType[],
  changes: readonly TypeChange[],
): SourceType[] {
  const changed = new Set(changes.map(({ name }) => name))
  return [
    ...before.filter(({ name }) => !changed.has(name)),
    ...changes
      .filter(({ after }) => !after.archived)
      .map(({ name, after: { description, schema } }) => ({ name, description, schema })),
  ]
}
