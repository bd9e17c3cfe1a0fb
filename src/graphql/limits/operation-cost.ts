import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import { RUNS_ALONE_BYTES } from '../../http/request-memory.ts'
import { expand, READ_SCHEMA } from './expand.ts'
import { MAX_COMPLEXITY } from './field-complexity.ts'
import { limitExceeded, MAX_RESPONSE_BYTES } from './limit-exceeded.ts'

/** An estimate: a response of the largest complexity is at most as large as responses may be. */
const BYTES_PER_FIELD = MAX_RESPONSE_BYTES / MAX_COMPLEXITY

export interface OperationCost {
  /** The largest number of fields in the response. */
  readonly cost: number
  readonly responseBytes: number
  /** By this size, operations of one caller wait for each other. */
  readonly queueBytes: number
}

/** The costs of operations that cost the same with any variables. */
const fixed = new WeakMap<OperationDefinitionNode, OperationCost>()

/** Rejects an operation whose response could have too many fields. */
export function requireCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): OperationCost {
  const known = fixed.get(operation)
  if (known) return known
  const { cost, rootFields, dependsOnVariables } = expand(schema, document, operation, variables)
  if (cost > MAX_COMPLEXITY) throw tooComplex(cost)
  const responseBytes = cost * BYTES_PER_FIELD
  const readsSchema = rootFields.some((name) => READ_SCHEMA.has(name))
  const queueBytes = readsSchema ? RUNS_ALONE_BYTES : responseBytes
  const found = { cost, responseBytes, queueBytes }
  if (!dependsOnVariables) fixed.set(operation, found)
  return found
}

function tooComplex(cost: number): Error {
  const remedy = 'Request smaller pages (`first`), or split the operation.'
  const limit = { max: MAX_COMPLEXITY, remedy }
  return limitExceeded('fields in its largest response', limit, Math.ceil(cost))
}
