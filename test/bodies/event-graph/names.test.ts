import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  EVENT_FIELDS,
  fieldNames,
  isSpelled,
  typeNames,
} from '../../../src/bodies/event-graph/names.ts'

const DOCUMENT = readFileSync(new URL('../cases.md', import.meta.url), 'utf8')

/** The rows of a table of the document, with the names in each cell. */
function tableOf(head: string): string[][][] {
  const [, rows = ''] = DOCUMENT.split(`${head}\n| --- | --- |\n`)
  const lines = rows.split('\n\n')[0]?.split('\n') ?? []
  return lines.map((line) =>
    line.split(' | ').map((cell) => [...cell.matchAll(/`([^`]*)`/g)].map(([, name = '']) => name)),
  )
}

test.each(tableOf('| event type | GraphQL type |'))('the types of %j are %j', (names, expected) => {
  expect(names.map((name) => typeNames(names).get(name))).toEqual(expected)
})

test.each(tableOf('| property | field |'))('the fields of %j are %j', (names, expected) => {
  const spelled = fieldNames(names, EVENT_FIELDS)
  expect(names.map((name) => spelled.get(name))).toEqual(expected)
})

/** Names that GraphQL cannot spell, that JavaScript has, or that would be the same. */
const HOSTILE_NAMES = [
  ...['order-id', 'order_id', 'order.id', 'orderId', '__typename', '$ref', 'a.b', 'a_b', '1st'],
  ...['😀', '', 'constructor', '__proto__', 'toString', 'id', 'type', 'data', 'previous'],
  ...['a\nb', '"', 'é', '__', '_', 'a_b2', 'data_id', 'a-b', '\u0000', 'length', 'true', 'null'],
]
const properties = fc.uniqueArray(
  fc.oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ unit: 'binary', maxLength: 4 })),
)

test('every property has a name of its own that GraphQL can spell, in any order', () => {
  fc.assert(
    fc.property(properties, fc.boolean(), (names, isEvent) => {
      const reserved = isEvent ? EVENT_FIELDS : []
      const spelled = fieldNames(names, reserved)
      expect([...spelled.keys()].toSorted()).toEqual(names.toSorted())
      const fields = [...spelled.values()]
      expect(fields.filter((field) => !isSpelled(field))).toEqual([])
      expect(new Set([...fields, ...reserved]).size).toBe(fields.length + reserved.length)
      const again = fieldNames(names.toReversed(), reserved)
      expect(Object.fromEntries(again)).toEqual(Object.fromEntries(spelled))
      for (const name of names) {
        if (isSpelled(name) && !reserved.includes(name)) expect(spelled.get(name)).toBe(name)
      }
    }),
    { numRuns: 1_000 },
  )
})

const word = fc.stringMatching(/^[a-cA-C0-1_-]{1,3}$/)
const eventTypes = fc.uniqueArray(
  fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.')),
    fc.constantFrom('event', 'query', 'date.time', 'string', '__proto__', 'constructor', '-', '_'),
  ),
)

test('every event type has a name of its own, and no nested type has the name of another', () => {
  fc.assert(
    fc.property(eventTypes, (names) => {
      const spelled = typeNames(names)
      const types = [...spelled.values()]
      expect([...spelled.keys()].toSorted()).toEqual(names.toSorted())
      expect(types.filter((type) => !isSpelled(type))).toEqual([])
      expect(new Set(types).size).toBe(types.length)
      expect(Object.fromEntries(typeNames(names.toReversed()))).toEqual(Object.fromEntries(spelled))
      // Nested types are named after a type, `_` and a word with a capital or a digit.
      const nested = types.filter((type) => types.some((one) => isNestedIn(type, one)))
      expect(nested).toEqual([])
    }),
    { numRuns: 1_000, examples: [[['11', '1.1']]] },
  )
})

function isNestedIn(type: string, parent: string): boolean {
  return type.startsWith(`${parent}_`) && /^[A-Z0-9]/.test(type.slice(parent.length + 1))
}
