import { readdirSync, readFileSync } from 'node:fs'
import { type DocumentNode, Kind, parse, print, separateOperations } from 'graphql'

const FOLDER = new URL('../../../docs/examples/graphql/', import.meta.url)

/** An operation for each field of a root type, by the name of the field. A test runs every one of them. */
export function examplesOf(kind: 'query' | 'mutation' | 'subscription'): Map<string, string> {
  const examples = new Map<string, string>()
  for (const file of readdirSync(FOLDER).toSorted()) {
    const operations = separateOperations(parse(readFileSync(new URL(file, FOLDER), 'utf8')))
    for (const [name, document] of Object.entries(operations)) {
      for (const field of fieldsOf(document, kind)) {
        // An operation that is named for the field shows it alone.
        const isOwn = name.toLowerCase() === field.toLowerCase()
        if (isOwn || !examples.has(field)) examples.set(field, textOf(document))
      }
    }
  }
  return examples
}

/** The operation, then its fragments. */
function textOf({ definitions, ...document }: DocumentNode): string {
  const isFragment = ({ kind }: { kind: Kind }) => Number(kind === Kind.FRAGMENT_DEFINITION)
  const sorted = definitions.toSorted((one, other) => isFragment(one) - isFragment(other))
  return print({ ...document, definitions: sorted })
}

function fieldsOf({ definitions }: DocumentNode, kind: string): string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION && definition.operation === kind
      ? definition.selectionSet.selections.flatMap((selection) =>
          selection.kind === Kind.FIELD ? [selection.name.value] : [],
        )
      : [],
  )
}
