import { readdirSync, readFileSync } from 'node:fs'
import {
  type DefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql'

const FOLDER = new URL('../../docs/examples/graphql/', import.meta.url)

interface Example {
  readonly field: string
  /** Whether the operation is named for the field. */
  readonly isOwn: boolean
  /** The operation with its fragments, which can be pasted whole. */
  readonly text: string
}

/** The first example of each field of a root type, by the name of the field. A test runs every one of them. */
export function examplesOf(kind: 'query' | 'mutation' | 'subscription'): Map<string, string> {
  const examples = readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) => {
      const { definitions } = parse(readFileSync(new URL(file, FOLDER), 'utf8'))
      return definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION && definition.operation === kind
          ? fieldsOf(definition, fragmentsIn(definitions))
          : [],
      )
    })
  // An operation that is named for the field shows it alone.
  const first = examples.toSorted((one, other) => Number(other.isOwn) - Number(one.isOwn))
  return new Map(first.toReversed().map(({ field, text }) => [field, text]))
}

function fragmentsIn(definitions: readonly DefinitionNode[]): FragmentDefinitionNode[] {
  return definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
}

function fieldsOf(
  operation: DefinitionNode & { kind: Kind.OPERATION_DEFINITION },
  fragments: readonly FragmentDefinitionNode[],
): Example[] {
  const text = [operation, ...usedBy(operation, fragments)].map(print).join('\n\n')
  return operation.selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD
      ? [{ field: selection.name.value, text, isOwn: isNamedFor(operation, selection.name.value) }]
      : [],
  )
}

function isNamedFor({ name }: { name?: { value: string } | undefined }, field: string): boolean {
  return name?.value.toLowerCase() === field.toLowerCase()
}

function usedBy(
  node: DefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): Set<FragmentDefinitionNode> {
  const used = new Set<FragmentDefinitionNode>()
  const follow = (from: DefinitionNode) =>
    visit(from, {
      FragmentSpread({ name }) {
        const fragment = fragments.find((one) => one.name.value === name.value)
        if (!fragment || used.has(fragment)) return
        used.add(fragment)
        follow(fragment)
      },
    })
  follow(node)
  return used
}
