import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { depthOf, MAX_DEPTH } from './depth.ts'
import { limitExceeded } from './limit-exceeded.ts'

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
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition)
    }
  }
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) checkOperation(definition, fragments)
  }
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

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function checkOperation({ selectionSet }: OperationDefinitionNode, fragments: Fragments): void {
  const rootFields = countRootFields(selectionSet, fragments)
  if (rootFields > MAX_ROOT_FIELDS) throw tooMany('root fields', rootFields, MAX_ROOT_FIELDS)
  const depth = depthOf(selectionSet, fragments)
  if (depth > MAX_DEPTH) {
    throw tooMany('levels of fields inside each other', depth, MAX_DEPTH)
  }
}

/** Each fragment once, as it is executed. */
function countRootFields(root: SelectionSetNode, fragments: Fragments): number {
  const spread = new Set<string>()
  const count = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + 1
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + count(selection.selectionSet)
      const name = selection.name.value
      const fragment = fragments.get(name)
      if (!fragment || spread.has(name)) return sum
      spread.add(name)
      return sum + count(fragment.selectionSet)
    }, 0)
  return count(root)
}

function tooMany(limit: string, found: number, most: number): Error {
  return limitExceeded({ limit, found, most, remedy: 'Ask in several operations.' })
}
