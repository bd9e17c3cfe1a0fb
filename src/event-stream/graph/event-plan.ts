import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql'
import { type Planning, PlanTooLarge, planEvent } from '../../event-graph/plan-selection.ts'
import { MAX_REPETITIONS, repetitionsOf } from '../../event-graph/repetitions.ts'
import { selectEvent } from '../../event-graph/select-event.ts'
import { inTurn } from '../../lib/in-turn.ts'
import { OverBudget } from '../../lib/work-budget.ts'
import { printCursor } from '../cursor.ts'
import type { StreamEvent } from '../stream-event.ts'

/** Makes the JSON of what an operation selects of an event. */
export type PrintEvent = (event: StreamEvent) => Promise<string>

/** Of all types of events together. */
const MAX_PLANNED_FIELDS = 4_000

export interface PlanScope {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** For `@skip` and `@include`. */
  readonly variables: Readonly<Record<string, unknown>>
}

export function planningOf(scope: PlanScope): Planning {
  return { ...scope, budget: { fields: MAX_PLANNED_FIELDS } }
}

/** How often selections may still take a value. */
export interface Repetitions {
  left: number
}

export function newRepetitions(): Repetitions {
  return { left: MAX_REPETITIONS }
}

/**
 * How to print the events of a field of the type `Event`. Throws a `GraphQLError` for a selection that is too large, with
 * those that were planned before on the same events.
 */
export function planEvents(
  scope: PlanScope,
  nodes: readonly FieldNode[],
  organizationId: string,
  repetitions = newRepetitions(),
): PrintEvent {
  const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
  const plan = withinBudget(nodes, () => planEvent(planningOf(scope), sets))
  repetitions.left -= repetitionsOf(plan)
  if (repetitions.left < 0) {
    const message = `A selection takes no value more than ${MAX_REPETITIONS} times. Remove some of the aliases, or data, which has every value.`
    throw tooLarge(message, nodes)
  }
  return async (streamed) => {
    try {
      return await inTurn(organizationId, (budget) =>
        selectEvent(plan, { ...streamed, cursor: printCursor(streamed) }, budget),
      )
    } catch (error) {
      throw error instanceof OverBudget ? tooLarge(error.message, nodes) : error
    }
  }
}

function tooLarge(message: string, nodes: readonly FieldNode[]): GraphQLError {
  return new GraphQLError(message, { nodes: [...nodes], extensions: { code: 'LIMIT_EXCEEDED' } })
}

function withinBudget<Plan>(nodes: readonly FieldNode[], make: () => Plan): Plan {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof PlanTooLarge)) throw error
    const message = `A selection has at most ${MAX_PLANNED_FIELDS} fields, counted for each event type. Select fewer, or data.`
    throw tooLarge(message, nodes)
  }
}
