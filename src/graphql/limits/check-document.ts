import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql'
import { checkIntrospection } from './check-introspection.ts'
import { checkMergedFields } from './check-merged-fields.ts'
import { depthOf, MAX_DEPTH } from './depth.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fragmentsOf, operationsOf, rootFieldsOf } from './root-fields.ts'

/** In a whole document, as it is written: a page of the console has a hundred. */
export const MAX_FIELDS = 1_000
export const MAX_ALIASES = 100
export const MAX_DIRECTIVES = 100

/** In one operation, fragments followed: what it asks the server for. */
export const MAX_ROOT_FIELDS = 50

/**
 * Refuses a document that is too much, before it is validated: some rules compare each field with each other one, so
 * that validating takes long where reading is quick.
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
    // They hold no fields, and may be long.
    Argument: () => false,
    VariableDefinition: () => false,
  })
  const most = { fields: MAX_FIELDS, aliases: MAX_ALIASES, directives: MAX_DIRECTIVES }
  for (const limit of ['aliases', 'directives', 'fields'] as const) {
    if (found[limit] > most[limit]) throw tooMany(limit, found[limit], most[limit])
  }
}

function checkOperation(operation: OperationDefinitionNode, fragments: Fragments): void {
  const rootFields = rootFieldsOf(operation, fragments)
  if (rootFields.length > MAX_ROOT_FIELDS) {
    throw tooMany('root fields', rootFields.length, MAX_ROOT_FIELDS)
  }
  const depth = depthOf(operation.selectionSet, fragments)
  if (depth > MAX_DEPTH) {
    throw tooMany('levels of fields inside each other', depth, MAX_DEPTH)
  }
  checkIntrospection(rootFields, fragments)
  checkMergedFields(operation, fragments)
}

function tooMany(limit: string, found: number, most: number): Error {
  return limitExceeded({ limit, found, most, remedy: 'Ask in several operations.' })
}
