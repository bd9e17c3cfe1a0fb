import { type DocumentNode, type FieldNode, getOperationAST, type SelectionSetNode } from 'graphql'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fieldsOf, fragmentsOf, operationsOf, rootFieldsOf } from './root-fields.ts'

/** How many types one operation may ask for with `__type`: tools that find out what a server supports need four. */
export const MAX_TYPES_BY_NAME = 4

/**
 * Refuses aliases in `__schema` and `__type`, with which a short document asks for the schema thousands of times. Without
 * them each field is answered once, however often it is selected, and `graphql` itself bounds how deep they go.
 */
export function checkIntrospection(rootFields: readonly FieldNode[], fragments: Fragments): void {
  const asked = rootFields.filter(isIntrospection)
  const types = new Set(asked.filter(({ name }) => name.value === '__type').map(responseKey))
  if (types.size > MAX_TYPES_BY_NAME) {
    throw limitExceeded({
      limit: 'types asked for by `__type`',
      found: types.size,
      most: MAX_TYPES_BY_NAME,
      remedy: 'Ask for all types with `__schema`, or read /schema.graphql.',
    })
  }
  const aliases =
    asked.filter((field) => field.name.value === '__schema' && hasAlias(field)).length +
    countAliases(asked, fragments)
  if (aliases > 0) {
    throw limitExceeded({
      limit: 'aliases in `__schema` and `__type`',
      found: aliases,
      most: 0,
      remedy: 'Select each field by its own name, once.',
    })
  }
}

/** Whether the operation that is asked for reads the schema. */
export function readsSchema(document: DocumentNode, operationName?: string | null): boolean {
  const operation = getOperationAST(document, operationName)
  if (!operation) return false
  return rootFieldsOf(operation, fragmentsOf(document)).some(isIntrospection)
}

/** Whether all operations read the schema, or `__typename`, and nothing else. */
export function readsSchemaOnly(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document)
  return operationsOf(document).every((operation) =>
    rootFieldsOf(operation, fragments).every(({ name }) => name.value.startsWith('__')),
  )
}

/** Below these fields; each fragment is looked at once. */
function countAliases(fields: readonly FieldNode[], fragments: Fragments): number {
  const spread = new Set<string>()
  const pending = fields.flatMap(({ selectionSet }) => selectionSet ?? [])
  let found = 0
  for (let set = pending.pop(); set; set = pending.pop()) {
    for (const field of fieldsOf(set as SelectionSetNode, fragments, spread)) {
      if (hasAlias(field)) found++
      if (field.selectionSet) pending.push(field.selectionSet)
    }
  }
  return found
}

function isIntrospection({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type'
}

function hasAlias(field: FieldNode): boolean {
  return responseKey(field) !== field.name.value
}

function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value
}
