import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql'
import { checkIntrospection } from './check-introspection.ts'
import { checkMergedFields } from './check-merged-fields.ts'
import { depthOf, MAX_DEPTH } from './depth.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fragmentsOf, operationsOf, rootFieldsOf } from './root-fields.ts'

/** Limits for a whole document as written. A page of the console has about a hundred fields. */
export const MAX_FIELDS = 1_000
export const MAX_ALIASES = 100
export const MAX_DIRECTIVES = 100

/** The limit for one operation, fragments included. */
export const MAX_ROOT_FIELDS = 50

/**
 * Rejects a document that exceeds a limit, before it is validated: some validation rules compare every field with every
 * other, so validating is much slower than parsing.
 */
export function checkDocument(document: DocumentNode): void {
  checkCounts(document)
  const fragments = fragmentsOf(document)
  for (const operation of operationsOf(document)) checkOperation(operation, fragments)
}

function checkCounts(document: DocumentNode): void {
  const found = { fields: 0, aliases: 0, directives: 0 }
  visit(document, {
    Field({ alias }) {
      found.fields++
      if (alias) found.aliases++
    },
    Directive() {
      found.directives++
    },
    // Skipped: they contain no fields and may be long.
    Argument: () => false,
    VariableDefinition: () => false,
  })
  const max = { fields: MAX_FIELDS, aliases: MAX_ALIASES, directives: MAX_DIRECTIVES }
  for (const limit of ['aliases', 'directives', 'fields'] as const) {
    if (found[limit] > max[limit]) throw tooMany(limit, found[limit], max[limit])
  }
}

function checkOperation(operation: OperationDefinitionNode, fragments: Fragments): void {
  const rootFields = rootFieldsOf(operation, fragments)
  if (rootFields.length > MAX_ROOT_FIELDS) {
    throw tooMany('root fields', rootFields.length, MAX_ROOT_FIELDS)
  }
  const depth = depthOf(operation.selectionSet, fragments)
  if (depth > MAX_DEPTH) {
    throw tooMany('levels of nested fields', depth, MAX_DEPTH)
  }
  checkIntrospection(rootFields, fragments)
  checkMergedFields(operation, fragments)
}

function tooMany(limit: string, found: number, max: number): Error {
  return limitExceeded({ limit, found, max, remedy: 'Split it into several operations.' })
}
