import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Chosen,
  isEmpty,
  NOTHING,
  printSelection,
  readSelection,
  withPart,
} from '../../../../src/console/webhooks/body/selection.ts'

const name = fc.stringMatching(/^[_A-Za-z][_A-Za-z0-9]{0,5}$/)

/** A member without fields is none. */
const withoutNothing = (part: Chosen): Chosen =>
  isEmpty(part) ? { fields: new Map([['id', NOTHING]]), members: new Map() } : part

const mapOf = (part: fc.Arbitrary<Chosen>) =>
  fc.array(fc.tuple(name, part), { maxLength: 3 }).map((entries) => new Map(entries))

const { chosen } = fc.letrec<{ chosen: Chosen }>((tie) => ({
  chosen: fc.oneof(
    { maxDepth: 4 },
    fc.constant(NOTHING),
    fc.record({
      fields: mapOf(tie('chosen')),
      members: mapOf(tie('chosen').map(withoutNothing)),
    }),
  ),
}))

test('every text that the tree of fields writes is read back as the same choice', () => {
  fc.assert(
    fc.property(chosen, (one) => {
      expect(readSelection(printSelection(one))).toEqual(one)
    }),
  )
})

test('a selection is printed as a person would write it', () => {
  const text = `{
  ... on OrderPaid {
    order {
      id
      total
    }
    payment {
      __typename
      ... on Card {
        last4
      }
    }
  }
}`
  expect(printSelection(readSelection(text) ?? NOTHING)).toBe(text)
  expect(
    readSelection('{...on OrderPaid{order{id,total}payment{__typename ...on Card{last4}}}}'),
  ).toEqual(readSelection(text))
})

test('nothing chosen is an empty text', () => {
  expect(printSelection(NOTHING)).toBe('')
  expect(readSelection(' \n')).toBe(NOTHING)
})

test.each([
  ['an alias', '{ ... on A { total: amount } }'],
  ['a directive', '{ ... on A { id @skip(if: true) } }'],
  ['a named fragment', '{ ...Fields } fragment Fields on Event { id }'],
  ['a fragment without a type', '{ ... { id } }'],
  ['an argument', '{ ... on A { id(x: 1) } }'],
  ['a comment', '{ ... on A { id } } # for Ada'],
  ['a field twice', '{ ... on A { id id } }'],
  ['an empty object', '{ ... on A { order { } } }'],
  ['a text that ends early', '{ ... on A { id'],
  ['no selection', 'hello'],
])('%s stays text', (_what, text) => {
  expect(readSelection(text)).toBeNull()
})

test('a chosen field stands where the schema has it, and one that the schema lacks at the end', () => {
  const order = ['id', 'total', 'city']
  const all = ['gone', 'city', 'id', 'total'].reduce<Chosen | null>(
    (before, field) => withPart(before, 'fields', field, NOTHING, order),
    null,
  )
  expect([...(all?.fields.keys() ?? [])]).toEqual(['id', 'total', 'city', 'gone'])
})

test('an object without a chosen field is not chosen', () => {
  const only = withPart(null, 'fields', 'id', NOTHING, [])
  expect(withPart(only, 'fields', 'id', null, [])).toBeNull()
})
