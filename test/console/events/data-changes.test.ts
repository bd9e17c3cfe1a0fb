import { expect, test } from 'vitest'
import { changesOfData } from '../../../packages/console/events/difference/data-changes.ts'

const change = (field: string, before: string | null, after: string | null) => ({
  field,
  before,
  after,
})

test.each([
  ['a value', '{"a":1,"b":2}', '{"a":1,"b":3}', [change('b', '2', '3')]],
  ['a field that is new', '{"a":1}', '{"a":1,"b":null}', [change('b', null, 'null')]],
  ['a field that is gone', '{"a":1,"b":"x"}', '{"a":1}', [change('b', '"x"', null)]],
  ['a field below', '{"a":{"b":1}}', '{"a":{"b":2}}', [change('a.b', '1', '2')]],
  ['a name of other letters', '{"a":{"b c":1}}', '{"a":{"b c":2}}', [change('a["b c"]', '1', '2')]],
  ['an item', '[{"p":1},{"p":2}]', '[{"p":1},{"p":3}]', [change('[1].p', '2', '3')]],
  ['a longer list', '{"t":["a"]}', '{"t":[]}', [change('t', '[\n  "a"\n]', '[]')]],
  ['another type', '{"a":{}}', '{"a":"{}"}', [change('a', '{}', '"{}"')]],
  ['the whole data', '1', '"1"', [change('', '1', '"1"')]],
  [
    'every digit of a number',
    '{"id":9007199254740993}',
    '{"id":9007199254740992}',
    [change('id', '9007199254740993', '9007199254740992')],
  ],
])('%s', (_what, previous, data, changes) => {
  expect(changesOfData(previous, data)).toEqual(changes)
})

test.each([
  ['{"a":1,"b":[1.0,{"c":1e1}]}', '{ "b": [1, {"c": 10}], "a": 1.0 }'],
  ['{"a":"\\u00e9"}', '{"a":"é"}'],
  ['{"a":2,"a":1}', '{"a":1}'],
])('%s and %s do not differ', (previous, data) => {
  expect(changesOfData(previous, data)).toEqual([])
})
