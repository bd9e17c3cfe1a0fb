import { type Chosen, isEmpty } from './selection.ts'

/** A field as the server lists the fields of an event type. */
export interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  /** As GraphQL spells the type. */
  readonly type: string
  readonly hasFields: boolean
  /** The member of a union that has the field. */
  readonly onType?: string | null | undefined
  readonly description?: string | null | undefined
}

/** The fields of an object. Those of a union belong to its members. */
export interface ObjectNode {
  readonly fields: readonly FieldNode[]
  readonly members: readonly FieldNode[]
}

/** A field, or the member of a union. */
export interface FieldNode extends ObjectNode {
  readonly name: string
  /** Null for what the catalogue does not have. */
  readonly type: string | null
  readonly description: string | null
}

interface Growing {
  fields: (FieldNode & Growing)[]
  members: (FieldNode & Growing)[]
}

const typename = (): FieldNode & Growing => ({
  name: '__typename',
  type: 'String!',
  description: null,
  fields: [],
  members: [],
})

/** The tree of a flat list, in which the fields of an object follow the object. */
export function treeOf(list: readonly SelectableField[]): ObjectNode {
  const root: Growing = { fields: [], members: [] }
  // The object at each depth that the next fields belong to.
  const above: Growing[] = [root]
  const objects = new Set<Growing>()
  for (const { path, name, type, description, onType, hasFields } of list) {
    const parent = above[path.length - 1]
    if (!parent) continue
    const node = { name, type, description: description ?? null, fields: [], members: [] }
    if (hasFields) objects.add(node)
    homeOf(parent, onType ?? null).fields.push(node)
    above.length = path.length
    above.push(node)
  }
  prune(root, objects)
  return root
}

/** The list ends at a depth. An object without fields in the list cannot be chosen. */
function prune(node: Growing, objects: ReadonlySet<Growing>): void {
  for (const part of [...node.fields, ...node.members]) prune(part, objects)
  node.fields = node.fields.filter((field) => !objects.has(field) || partsOf(field).length > 0)
  node.members = node.members.filter((member) => partsOf(member).length > 0)
}

const partsOf = ({ fields, members }: ObjectNode) => [...fields, ...members]

/** An object, or the member of a union. The members of a union can be told apart by `__typename`. */
function homeOf(parent: Growing, onType: string | null): Growing {
  if (onType === null) return parent
  const known = parent.members.find(({ name }) => name === onType)
  if (known) return known
  if (parent.members.length === 0) parent.fields.unshift(typename())
  const member = { name: onType, type: onType, description: null, fields: [], members: [] }
  parent.members.push(member)
  return member
}

/** Everything below a node. */
export function allOf({ fields, members }: ObjectNode): Chosen {
  return {
    fields: new Map(fields.map((field) => [field.name, allOf(field)])),
    members: new Map(members.map((member) => [member.name, allOf(member)])),
  }
}

export type Share = 'none' | 'some' | 'all'

/** How much of a node is chosen. */
export function shareOf(node: ObjectNode, chosen: Chosen | null): Share {
  if (chosen === null) return 'none'
  const parts = [
    ...node.fields.map((field) => shareOf(field, chosen.fields.get(field.name) ?? null)),
    ...node.members.map((member) => shareOf(member, chosen.members.get(member.name) ?? null)),
  ]
  return parts.every((part) => part === 'all') ? 'all' : 'some'
}

/**
 * The tree of an event type with what is chosen but not in the catalogue, so that the reader sees it and can remove it.
 * The values before a change are there once text has chosen some of them.
 */
export function withChosen(known: ObjectNode, chosen: Chosen | null): ObjectNode {
  const isOffered = known.fields.some(({ name }) => name === PREVIOUS)
  if (isOffered || !chosen?.fields.has(PREVIOUS)) return withUnknown(known, chosen)
  const previous = { ...known, name: PREVIOUS, type: '', description: null }
  return withUnknown({ ...known, fields: [...known.fields, previous] }, chosen)
}

const PREVIOUS = 'previous'

function withUnknown<Node extends ObjectNode>(node: Node, chosen: Chosen | null): Node {
  if (chosen === null || isEmpty(chosen)) return node
  const merged = (known: readonly FieldNode[], parts: ReadonlyMap<string, Chosen>) => [
    ...known.map((one) => withUnknown(one, parts.get(one.name) ?? null)),
    ...[...parts].flatMap(([name, part]) =>
      known.some((one) => one.name === name) ? [] : [unknown(name, part)],
    ),
  ]
  return {
    ...node,
    fields: merged(node.fields, chosen.fields),
    members: merged(node.members, chosen.members),
  }
}

const EMPTY: ObjectNode = { fields: [], members: [] }

const unknown = (name: string, chosen: Chosen): FieldNode => ({
  ...withUnknown(EMPTY, chosen),
  name,
  type: OF_EVERY_EVENT[name] ?? null,
  description: null,
})

/** The fields that every event has beside those of its data. */
const OF_EVERY_EVENT: Readonly<Record<string, string>> = {
  __typename: 'String!',
  id: 'ID!',
  type: 'String!',
  occurredAt: 'DateTime!',
  publishedAt: 'DateTime!',
  data: 'JSON',
}

/** Whether the name or the description of a node has the words. */
export const hasWords = ({ name, description }: FieldNode, words: string) =>
  `${name} ${description ?? ''}`.toLowerCase().includes(words)

/** Whether a node or one below it has the words. */
export function isFound(node: FieldNode, words: string): boolean {
  return hasWords(node, words) || partsOf(node).some((one) => isFound(one, words))
}

/** The number of values: what has no fields of its own. */
export function countValues(node: ObjectNode): number {
  const inner = partsOf(node)
  return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + countValues(one), 0)
}

export function countChosen({ fields, members }: Chosen): number {
  const inner = [...fields.values(), ...members.values()]
  return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + countChosen(one), 0)
}
