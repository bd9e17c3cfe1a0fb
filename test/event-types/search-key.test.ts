import { expect, test } from 'vitest'
import { normalPath } from '../../src/event-types/search-key.ts'

test.each([
  ['$.order.id', '$.order.id'],
  ['$.items[0].sku', '$.items[0].sku'],
  ['$.größe', '$.größe'],
  [`$['order-id']`, `$['order-id']`],
  ['$["order-id"].x', `$['order-id'].x`],
  ['$["order"]', '$.order'],
  [`$['a.b'][0]`, `$['a.b'][0]`],
  [`$.${'a'.repeat(198)}`, `$.${'a'.repeat(198)}`],
])('the search key %s is valid, with the normal form %s', (path, normal) => {
  expect(normalPath(path)).toBe(normal)
})

test.each([
  ...['', '$', 'order.id', '.order', '$order', '$.', '$..id', '$.order.', '$.order id', '$.*'],
  ...['$.order-id', '$.2nd', '$.items[*]', '$.items[-1]', '$.items[01]', '$.items[0:2]'],
  ...['$.items[?@.id]', '$.items[]', `$['']`, `$['it\\'s']`, `$["a']`],
  // Postgres would read these names as array indexes.
  `$['0']`,
  `$['-1']`,
  `$['a\0']`,
  '$.order.id ',
  `$.${'a'.repeat(199)}`,
])('the search key %j is not valid', (path) => {
  expect(normalPath(path)).toBeNull()
})
