import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { createSelectionSchema } from './event-schema.ts'
import type { SourceType } from './event-types.ts'
import { namedTypes, planEvent, type SelectionPlan } from './plan-selection.ts'

export interface CompiledSelection {
  /** Null with any issue. */
  readonly plan: SelectionPlan | null
  /** Lines count from 2, because the text is the end of a fragment. */
  readonly issues: readonly GraphQLError[]
}

const MAX_BYTES = 16 * 1024

/**
 * An event has one type. Fields of two event types may have the same name and different types, such as `status`, which a
 * client with one type for the whole response could not express. The plan refuses two fields of one object under one name.
 */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

const MAX_ISSUES = 20

/**
 * Compiles a selection set on the interface `Event`, such as `{ ... on OrderPaid { order { id } } }`, with the fragments
 * that it spreads. `catalogue`: the event types that are not archived, all of them, because their names depend on each
 * other. Only those that the selection names are described.
 */
export function compileSelection(
  text: string,
  catalogue: readonly SourceType[],
): CompiledSelection {
  try {
    const fragments = parseSelection(text)
    const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [...SPREAD, ...fragments] }
    const schema = createSelectionSchema(catalogue, namedTypes(fragments))
    // Similar names are slow to find for long ones.
    const hideSuggestions = /\w{41}/.test(text)
    const errors = validate(schema, document, RULES, { maxErrors: MAX_ISSUES, hideSuggestions })
    if (errors.length > 0) return { plan: null, issues: errors }
    const byName = Object.fromEntries(fragments.map((one) => [one.name.value, one]))
    const planned = { schema, fragments: byName, variableValues: { sources: {}, coerced: {} } }
    // The plan of the spread is that of the selection.
    return { plan: planEvent(planned, [fragments[0]]), issues: [] }
  } catch (error) {
    if (error instanceof GraphQLError) return { plan: null, issues: [error] }
    if (!(error instanceof RangeError)) throw error
    const message = 'The selection is nested too deeply. What is below is in the JSON of a field.'
    return { plan: null, issues: [new GraphQLError(message)] }
  }
}

const SPREAD = parse('{ event { ...Selection } }').definitions

type Fragments = [FragmentDefinitionNode, ...FragmentDefinitionNode[]]

/** A selection set is the end of a fragment. Further fragments follow. */
function parseSelection(text: string): Fragments {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) {
    throw new GraphQLError(`must have at most 16 KiB (${MAX_BYTES} bytes), not ${bytes}.`)
  }
  const { definitions } = parse(`fragment Selection on Event\n${text}`)
  for (const one of definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) continue
    const message = 'A selection has one selection set, and fragments. Remove what else it defines.'
    throw new GraphQLError(message, { nodes: one })
  }
  return definitions as readonly FragmentDefinitionNode[] as Fragments
}

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
  const plans = new Map(is.cases.map(({ eventType, plan }) => [eventType, JSON.stringify(plan)]))
  return was.cases
    .filter(({ eventType, plan }) => plans.get(eventType) !== JSON.stringify(plan))
    .map(({ eventType }) => `A selected field of ${eventType} has another JSON type or property.`)
}
