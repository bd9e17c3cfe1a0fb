import { expect, test } from 'vitest'
import { filterInWords } from '../../../../packages/console/webhooks/filter/filter-in-words.ts'

const TOTAL = { path: '$.total', op: 'greater', value: 100 }
const CITY = { path: '$.address.city', op: 'equals', value: 'Berlin' }
const SKU = { path: '$.items[*].sku', op: 'in', value: ['A', 'B'] }

test.each([
  [TOTAL, 'total is greater than 100'],
  [{ all: [TOTAL, CITY] }, 'total is greater than 100 and address.city is "Berlin"'],
  [
    { all: [TOTAL, { any: [CITY, { not: SKU }] }] },
    'total is greater than 100 and (address.city is "Berlin" or not (items[*].sku is one of "A", "B"))',
  ],
  [{ all: [{ any: [CITY, TOTAL] }] }, 'address.city is "Berlin" or total is greater than 100'],
  [{ path: '$', op: 'exists' }, 'the data exists'],
  [{ path: '$.status', op: 'changed' }, 'status has changed'],
])('%j in words', (filter, words) => {
  expect(filterInWords(JSON.stringify(filter))).toBe(words)
})

test('every digit of a number is there', () => {
  const text = '{"path":"$.id","op":"equals","value":9007199254740993}'
  expect(filterInWords(text)).toBe('id is 9007199254740993')
})

test.each(['', '{', '{"all":[]}', '{"path":"$.a","op":"like","value":1}'])(
  'no words for %j, which is no filter',
  (text) => expect(filterInWords(text)).toBeNull(),
)
