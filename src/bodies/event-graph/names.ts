import { pascalCase } from '../../lib/pascal-case.ts'

/*
 * The names that GraphQL can spell. docs/guides/bodies.md has examples.
 */

/** https://spec.graphql.org/draft/#Name, without the names that GraphQL reserves for introspection. */
const SPELLED = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/

/** Longer names have no field: their values are in `data`. */
export const MAX_NAME_LENGTH = 128

export function isSpelled(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && SPELLED.test(name)
}

/** The fields that every type of an event has. `cursor` is one of the stream alone. */
export const EVENT_FIELDS: readonly string[] =
  'cursor id type occurredAt publishedAt data previous'.split(' ')

/** The types that the event graph has of itself. None has `_` in its name, or begins with the name of an event type. */
const RESERVED_TYPES: ReadonlySet<string> = new Set(
  'Boolean ConsumerStart DateTime Event Float ID Int JSON Mutation OtherEvent PulledEvents Query String Subscription'.split(
    ' ',
  ),
)

/** `OrderPaid` for `order.paid`, as long as no other event type has the same name. */
export function typeNameAlone(eventType: string): string {
  const name = pascalCase(eventType) || 'Event'
  const spelled = /^[0-9]/.test(name) ? `_${name}` : name
  return RESERVED_TYPES.has(spelled) ? `${spelled}_` : spelled
}

/** The names of the types of events. Of those that would have one name, the first by code points has the name; the others have a number. */
export function typeNames(eventTypes: readonly string[]): Map<string, string> {
  const groups = [...Map.groupBy(eventTypes.toSorted(), typeNameAlone)]
  return new Map(
    groups.flatMap(([alone, group]) =>
      group.map((name, i): [string, string] => [name, i === 0 ? alone : `${alone}__${i + 1}`]),
    ),
  )
}

/** The name, or the name with the first number from 2 on that makes it free. */
export function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let n = 2; ; n++) if (!taken.has(`${name}${n}`)) return `${name}${n}`
}

/**
 * The names of the fields for properties. A property that GraphQL can spell keeps its name; of the others, one whose name
 * is taken has a number. A property without a name in the result has no field. `reserved`: names that another field has.
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
  const others = properties.filter((name) => !names.has(name) && name.length <= MAX_NAME_LENGTH)
  for (const name of others.toSorted()) take(name, firstFree(mappedName(name), taken))
  return names
}

/** `order-id` → `order_id`, `1st` → `_1st`, `__typename` → `data_typename`; `id` of an event → `data_id`. */
function mappedName(name: string): string {
  if (SPELLED.test(name)) return `data_${name}`
  const mapped = name.replace(/[^a-zA-Z0-9_]/gu, '_')
  if (mapped.startsWith('__')) return `data_${mapped.replace(/^_+/, '')}`
  return /^[0-9]/.test(mapped) || mapped === '' ? `_${mapped}` : mapped
}
