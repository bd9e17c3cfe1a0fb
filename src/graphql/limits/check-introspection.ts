import { type DocumentNode, type FieldNode, getOperationAST, type SelectionSetNode } from 'graphql'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fieldsOf, fragmentsOf, operationsOf, rootFieldsOf } from './root-fields.ts'

/** How many types one operation may request with `__type`. Tools that detect server features request four. */
export const MAX_TYPES_BY_NAME = 4

/**
 * Rejects aliases in `__schema` and `__type`, because a short document can request the schema thousands of times with
 * them. Without aliases, each field is in the response once, and `graphql` itself limits the depth.
 */
export function checkIntrospection(rootFields: readonly FieldNode[], fragments: Fragments): void {
  const requested = rootFields.filter(isIntrospection)
  const types = new Set(requested.filter(({ name }) => name.value === '__type').map(responseKey))
  if (types.size > MAX_TYPES_BY_NAME) {
    throw limitExceeded({
      limit: 'types requested with `__type`',
      found: types.size,
      max: MAX_TYPES_BY_NAME,
      remedy: 'Request all types with `__schema`, or read /schema.graphql.',
    })
  }
  const aliases =
    requested.filter((field) => field.name.value === '__schema' && hasAlias(field)).length +
    countAliases(requested, fragments)
  if (aliases > 0) {
    throw limitExceeded({
      limit: 'aliases in `__schema` and `__type`',
      found: aliases,
      max: 0,
      remedy: 'Select each field by its own name, once.',
    })
  }
}

/** Whether the requested operation reads the schema. */
export function readsSchema(document: DocumentNode, operationName?: string | null): boolean {
  const operation = getOperationAST(document, operationName)
  if (!operation) return false
  return rootFieldsOf(operation, fragmentsOf(document)).some(isIntrospection)
}

/** Whether all operations read nothing but the schema and `__typename`. */
export function readsSchemaOnly(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document)
  return operationsOf(document).every((operation) =>
    rootFieldsOf(operation, fragments).every(({ name }) => name.value.startsWith('__')),
  )
}

/** The aliases below these fields. Each fragment is counted once. */
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
