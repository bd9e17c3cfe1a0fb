import {
  type DocumentNode,
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { didYouMean } from '../lib/did-you-mean.ts'
import { describeEventTypes, namesOfTypes } from './describe-catalogue.ts'
import { eventAlone, toSchema } from './event-schema.ts'
import { createEventTypes } from './event-types.ts'
import type { SourceType } from './model.ts'
import { RESERVED_TYPES } from './names.ts'
import { type ParsedSelection, parseSelection } from './parse-selection.ts'
import type { SelectionPlan } from './plan.ts'
import { PlanTooLarge, planEvent } from './plan-selection.ts'
import { MAX_REPETITIONS, repetitionsOf } from './repetitions.ts'

/** What is wrong with a selection, and where in its text. Lines and columns count from 1. */
export interface SelectionIssue {
  readonly message: string
  readonly line: number
  readonly column: number
}

export interface CompiledSelection {
  /** Null with any issue. */
  readonly plan: SelectionPlan | null
  readonly issues: readonly SelectionIssue[]
}

/**
 * An event has one type. Fields of two event types may have the same name and different types, such as `status`, which a
 * client with one type for the whole response could not express. The plan refuses two fields of one object under one name.
 */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

const MAX_ISSUES = 20
/** Of all types of events together. */
const MAX_PLANNED_FIELDS = 4_000

/**
 * Compiles a selection on the interface `Event`. `catalogue`: the event types that are not archived, all of them, because
 * their names depend on each other. Only those that the selection names are described.
 */
export function compileSelection(
  text: string,
  catalogue: readonly SourceType[],
): CompiledSelection {
  try {
    return { plan: planOf(parseSelection(text), catalogue), issues: [] }
  } catch (error) {
    if (error instanceof Invalid) return { plan: null, issues: error.errors.map(issueOf) }
    if (error instanceof GraphQLError) return { plan: null, issues: [issueOf(error)] }
    throw error
  }
}

class Invalid extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('The selection is invalid.')
    this.errors = errors
  }
}

function planOf(parsed: ParsedSelection, catalogue: readonly SourceType[]): SelectionPlan {
  const { document, set, fragments } = parsed
  const names = namesOfTypes(catalogue)
  const conditions = conditionsOf(document)
  const unknown = unknownTypes(conditions, [...names.values()])
  if (unknown.length > 0) throw new Invalid(unknown)
  const models = describeEventTypes(catalogue, (typeName) =>
    conditions.some(({ name }) => name === typeName || name.startsWith(`${typeName}_`)),
  )
  const types = createEventTypes(models)
  const schema = toSchema(types, eventAlone(types))
  const errors = validate(schema, document, RULES, { maxErrors: MAX_ISSUES })
  if (errors.length > 0) throw new Invalid(errors)
  const budget = { fields: MAX_PLANNED_FIELDS }
  const planning = { schema, fragments, variables: {}, budget }
  const plan = withinBudget(() => planEvent(planning, [set]))
  if (repetitionsOf(plan) > MAX_REPETITIONS) {
    throw new GraphQLError(
      `A selection takes no value more than ${MAX_REPETITIONS} times. Remove some of the aliases, or data, which has every value.`,
    )
  }
  return plan.typenames ? { ...plan, typenames: Object.fromEntries(names) } : plan
}

function withinBudget<Plan>(make: () => Plan): Plan {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof PlanTooLarge)) throw error
    throw new GraphQLError(
      `A selection has at most ${MAX_PLANNED_FIELDS} fields, counted for each event type. Select fewer, or data.`,
    )
  }
}

interface Condition {
  readonly name: string
  readonly error: (message: string) => GraphQLError
}

function conditionsOf(document: DocumentNode): Condition[] {
  const found: Condition[] = []
  visit(document, {
    NamedType(node) {
      const error = (message: string) => new GraphQLError(message, { nodes: node })
      found.push({ name: node.name.value, error })
    },
  })
  return found
}

/** The schema of a selection has no other event types, which `validate` could name. */
function unknownTypes(conditions: readonly Condition[], typeNames: readonly string[]) {
  return conditions
    .filter(
      ({ name }) =>
        !RESERVED_TYPES.has(name) &&
        !typeNames.some((typeName) => name === typeName || name.startsWith(`${typeName}_`)),
    )
    .map(({ name, error }) =>
      error(`No event type has the GraphQL type "${name}".${didYouMean(name, typeNames)}`),
    )
    .slice(0, MAX_ISSUES)
}

function issueOf({ message, locations }: GraphQLError): SelectionIssue {
  const [{ line, column } = { line: 1, column: 1 }] = locations ?? []
  return { message, line, column }
}
