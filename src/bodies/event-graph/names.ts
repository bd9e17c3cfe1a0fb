/*
 * The names that GraphQL can spell. The rule is docs/guides/event-graph.md, whose table runs as a test.
 */

/** https://spec.graphql.org/draft/#Name, without the names that GraphQL reserves for introspection. */
const SPELLED = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/

/** Longer names have no field: their values are in `data`. */
export const MAX_NAME_LENGTH = 128

export function isSpelled(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && SPELLED.test(name)
}

/** The fields that every type of an event has. `cursor` is one of the stream alone. */
export const EVENT_FIELDS: readonly string[] = [
  'cursor',
  'id',
  'type',
  'occurredAt',
  'publishedAt',
  'data',
  'previous',
]

/** The types that the event graph has of itself. None has `_` in its name, or begins with the name of an event type. */
export const RESERVED_TYPES: ReadonlySet<string> = new Set([
  'Boolean',
  'ConsumerStart',
  'DateTime',
  'Event',
  'Float',
  'ID',
  'Int',
  'JSON',
  'Mutation',
  'OtherEvent',
  'PulledEvents',
  'Query',
  'String',
  'Subscription',
])

/** `OrderPaid` for `order.paid`, as long as no other event type has the same name. */
export function typeNameAlone(eventType: string): string {
  const name = pascalCase(eventType) || 'Event'
  const spelled = /^[0-9]/.test(name) ? `_${name}` : name
  return RESERVED_TYPES.has(spelled) ? `${spelled}_` : spelled
}

/** `order.paid` → `OrderPaid`; `order-id` → `OrderId`. Empty if there is no letter or digit of ASCII. */
export function pascalCase(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/**
 * The names of the types of events. If two would have one name, the event type of
 * lower-case words and dots gets the name, or else none of them, and the others are spelled out. So no name depends on an
 * order, and an event type that is added seldom changes the name of another.
 */
export function typeNames(eventTypes: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const sharing = Map.groupBy(eventTypes.toSorted(), typeNameAlone)
  for (const [alone, group] of sharing) {
    const holder = group.length === 1 ? group[0] : holderOf(alone, group)
    for (const name of group) {
      const wanted = name === holder && !taken.has(alone) ? alone : spelledOut(name)
      const free = firstFree(cut(wanted), taken)
      names.set(name, free)
      taken.add(free)
    }
  }
  return names
}

/** A name of digits is spelled out as it is: `11`, and then `1.1` has another name. */
function holderOf(alone: string, names: readonly string[]): string | undefined {
  return names.find((name) => spelledOut(name) === alone) ?? names.find(isPlain)
}

/** `order.paid`, but not `order_paid` or `Order.Paid`. */
function isPlain(name: string): boolean {
  return /^[a-z0-9]+([.][a-z0-9]+)*$/.test(name)
}

/** `order-id` → `order_x2d_id`. No two names have the same, and none has that of another rule. */
function spelledOut(name: string): string {
  if (name === '') return '_empty'
  const spelled = name.replace(
    /[^a-zA-Z0-9]/gu,
    (character) => `_x${character.codePointAt(0)?.toString(16)}_`,
  )
  return /^[a-zA-Z]/.test(spelled) ? spelled : `_${spelled.replace(/^_+/, '')}`
}

const MAX_SPELLED_LENGTH = 200

function cut(name: string): string {
  return name.slice(0, MAX_SPELLED_LENGTH)
}

/** The name, or the name with the first number from 2 on that makes it free. */
export function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let n = 2; ; n++) if (!taken.has(`${name}_${n}`)) return `${name}_${n}`
}

/**
 * The names of the fields for properties. A property that GraphQL can spell keeps its name. Of the others, one that is alone with its name gets the name; else each is spelled out. A
 * property without a name in the result has no field. `reserved`: names that another field has.
 */
export function fieldNames(
  properties: readonly string[],
  reserved: readonly string[] = [],
): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(reserved)
  const take = (property: string, name: string) => {
    names.set(property, name)
    taken.add(name)
  }
  for (const name of properties) if (isSpelled(name) && !taken.has(name)) take(name, name)
  const mapped = properties
    .filter((name) => !names.has(name) && name.length <= MAX_NAME_LENGTH)
    .toSorted()
  for (const [wanted, group] of Map.groupBy(mapped, mappedName)) {
    const isAlone = group.length === 1 && !taken.has(wanted)
    for (const name of group) {
      take(name, firstFree(cut(isAlone ? wanted : spelledOut(name)), taken))
    }
  }
  return names
}

/** `order-id` → `order_id`, `1st` → `_1st`, `__typename` → `data_typename`; `id` of an event → `data_id`. */
function mappedName(name: string): string {
  if (SPELLED.test(name)) return `data_${name}`
  const mapped = name.replace(/[^a-zA-Z0-9_]/gu, '_')
  if (mapped.startsWith('__')) return `data_${mapped.replace(/^_+/, '')}`
  return /^[0-9]/.test(mapped) || mapped === '' ? `_${mapped}` : mapped
}
