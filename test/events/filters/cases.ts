/** The text of an event's data, or with the text of the data before the change. */
export type CaseEvent = string | readonly [previous: string, data: string]

/** Each case of docs/guides/filters.md: a condition, events that it lets pass, and events that it refuses. Texts of JSON. */
export interface FilterCase {
  readonly name: string
  readonly filter: string
  readonly passes: readonly CaseEvent[]
  readonly refuses: readonly CaseEvent[]
}

const leaf = (path: string, op: string, value?: string) =>
  `{"path":"${path}","op":"${op}"${value === undefined ? '' : `,"value":${value}`}}`

export const FILTER_CASES: readonly FilterCase[] = [
  {
    name: 'equal numbers have the same value, however they are written',
    filter: leaf('$.n', 'equals', '1'),
    passes: ['{"n":1}', '{"n":1.0}', '{"n":1e0}', '{"n":10e-1}'],
    refuses: ['{"n":1.0000000000000000001}', '{"n":"1"}', '{"n":true}', '{"n":[1]}'],
  },
  {
    name: 'numbers keep every digit',
    filter: leaf('$.n', 'equals', '9007199254740993'),
    passes: ['{"n":9007199254740993}', '{"n":9007199254740993.0}'],
    refuses: ['{"n":9007199254740992}', '{"n":"9007199254740993"}'],
  },
  {
    name: 'texts are equal letter by letter',
    filter: leaf('$.s', 'equals', '"\\u00e9"'),
    passes: ['{"s":"é"}', '{"s":"\\u00E9"}'],
    refuses: ['{"s":"E"}', '{"s":"e\\u0301"}', '{"s":"é "}', '{"s":null}'],
  },
  {
    name: 'a missing field equals nothing, not even null',
    filter: leaf('$.a.b', 'equals', 'null'),
    passes: ['{"a":{"b":null}}'],
    refuses: ['{}', '{"a":{}}', '{"a":null}', '{"a":[{"b":null}]}', '[]', 'null', '{"a":{"b":0}}'],
  },
  {
    name: 'not lets a missing field and another type pass',
    filter: `{"not":${leaf('$.status', 'equals', '"paid"')}}`,
    passes: ['{}', '{"status":"open"}', '{"status":1}', '{"status":null}', '[]'],
    refuses: ['{"status":"paid"}'],
  },
  {
    name: 'in takes values of different types',
    filter: leaf('$.v', 'in', '[1,"1",null,false]'),
    passes: ['{"v":1.0}', '{"v":"1"}', '{"v":null}', '{"v":false}'],
    refuses: ['{}', '{"v":0}', '{"v":true}', '{"v":""}', '{"v":[1]}'],
  },
  {
    name: 'a field exists with any value',
    filter: leaf('$.v', 'exists'),
    passes: ['{"v":null}', '{"v":0}', '{"v":{}}', '{"v":[]}'],
    refuses: ['{}', '{"V":1}', '[{"v":1}]', '"v"'],
  },
  {
    name: 'a bound that is a number compares numbers only',
    filter: leaf('$.total', 'greater', '100'),
    passes: ['{"total":100.01}', '{"total":1e3}', '{"total":9007199254740993}'],
    refuses: ['{"total":100}', '{"total":"1500"}', '{"total":null}', '{}', '{"total":[1500]}'],
  },
  {
    name: 'at most includes the bound',
    filter: leaf('$.n', 'lessOrEqual', '-0'),
    passes: ['{"n":0}', '{"n":-1}', '{"n":0.0}'],
    refuses: ['{"n":1e-10}', '{"n":"-1"}'],
  },
  {
    name: 'times are compared as moments, with every digit of their seconds',
    filter: leaf('$.at', 'less', '"2026-01-31T12:00:00.5Z"'),
    passes: [
      '{"at":"2026-01-31T12:00:00Z"}',
      '{"at":"2026-01-31t13:00:00.4999999999+01:00"}',
      '{"at":"0001-01-01T00:00:00Z"}',
    ],
    refuses: [
      '{"at":"2026-01-31T12:00:00.500Z"}',
      '{"at":"2026-01-31T11:00:00.51-01:00"}',
      '{"at":"2026-01-30"}',
      '{"at":"2026-02-30T00:00:00Z"}',
      '{"at":"2026-01-31T12:00:00"}',
      '{"at":1}',
      '{}',
    ],
  },
  {
    name: 'a text begins with and contains letters, not patterns',
    filter: `{"all":[${leaf('$.s', 'startsWith', '"a."')},${leaf('$.s', 'contains', '".*"')}]}`,
    passes: ['{"s":"a.*"}', '{"s":"a.b.*c"}'],
    refuses: ['{"s":"abc"}', '{"s":"A..*"}', '{"s":["a.*"]}', '{"s":1}', '{}'],
  },
  {
    name: 'an array has an item',
    filter: leaf('$.tags', 'has', '"vip"'),
    passes: ['{"tags":["new","vip"]}'],
    refuses: ['{"tags":"vip"}', '{"tags":[]}', '{"tags":[["vip"]]}', '{"tags":{"vip":1}}', '{}'],
  },
  {
    name: 'an array is opened only where the path says so',
    filter: leaf('$.items[*].price', 'greater', '10'),
    passes: ['{"items":[{"price":1},{"price":11}]}', '{"items":[1,{"price":11}]}'],
    refuses: ['{"items":{"price":11}}', '{"items":[[{"price":11}]]}', '{"items":[]}', '{}'],
  },
  {
    name: 'two conditions may hold for two items',
    filter: `{"all":[${leaf('$[*].p', 'greater', '9')},${leaf('$[*].p', 'less', '2')}]}`,
    passes: ['[{"p":10},{"p":1}]'],
    refuses: ['[{"p":5}]', '[{"p":10}]'],
  },
  {
    name: 'an index is a place in an array',
    filter: leaf('$.items[1]', 'equals', '"b"'),
    passes: ['{"items":["a","b"]}'],
    refuses: ['{"items":["b"]}', '{"items":{"1":"b"}}', '{"items":"bb"}'],
  },
  {
    name: 'of a repeated name, the last value counts',
    filter: leaf('$.a', 'equals', '2'),
    passes: ['{"a":1,"a":2}'],
    refuses: ['{"a":2,"a":1}'],
  },
  {
    name: 'any needs one of its parts',
    filter: `{"any":[${leaf('$.a', 'equals', '1')},{"not":${leaf('$.b', 'exists')}}]}`,
    passes: ['{"a":1,"b":1}', '{}', '{"a":2}'],
    refuses: ['{"a":2,"b":1}'],
  },
  {
    name: 'a path may be the whole data',
    filter: leaf('$', 'in', '["a",1]'),
    passes: ['"a"', '1.0'],
    refuses: ['"b"', '["a"]', '{}'],
  },
  {
    name: 'a field has changed if its value differs, is new or is gone',
    filter: leaf('$.s', 'changed'),
    passes: [
      ['{"s":1}', '{"s":2}'],
      ['{"s":1}', '{"s":"1"}'],
      ['{"s":null}', '{}'],
      ['{}', '{"s":null}'],
      ['null', '{"s":1}'],
      ['{"s":{"a":1,"b":[1]}}', '{"s":{"a":1,"b":[1,2]}}'],
      ['{"s":[1,2]}', '{"s":[2,1]}'],
      ['{"s":{}}', '{"s":[]}'],
      ['{"s":"e\\u0301"}', '{"s":"é"}'],
    ],
    refuses: [
      ['{"s":1}', '{"s":1.0}'],
      ['{"s":9007199254740993}', '{"s":9007199254740993.0}'],
      ['{"s":{"a":1,"b":2}}', '{"s":{"b":2e0,"a":1}}'],
      ['{"s":"\\u00e9"}', '{"s":"é"}'],
      ['{"s":2,"s":1}', '{"s":1}'],
      ['{"a":1}', '{"a":2}'],
      ['[{"s":1}]', '[{"s":2}]'],
      ['{"s":-0}', '{"s":0}'],
    ],
  },
  {
    name: 'every digit of a number counts for a change',
    filter: leaf('$.n', 'changed'),
    passes: [['{"n":9007199254740993}', '{"n":9007199254740992}']],
    refuses: [['{"n":10e-1}', '{"n":1}']],
  },
  {
    name: 'without previous data, nothing has changed',
    filter: leaf('$', 'changed'),
    passes: [['{}', '{"a":1}']],
    refuses: ['{}', '{"a":1}', 'null', '1'],
  },
  {
    name: 'a path with [*] compares what it finds as one list',
    filter: leaf('$.items[*].price', 'changed'),
    passes: [
      ['{"items":[{"price":1},{"price":2}]}', '{"items":[{"price":2},{"price":1}]}'],
      ['{"items":[]}', '{"items":[{"price":1}]}'],
      ['{"items":[{"price":1},{"price":1}]}', '{"items":[{"price":1}]}'],
    ],
    refuses: [
      ['{"items":[{"price":1,"sku":1}]}', '{"items":[{"price":1.0,"sku":2}]}'],
      ['{"items":[{"price":1}]}', '{"items":[{},{"price":1}]}'],
      ['{"items":[]}', '{}'],
    ],
  },
  {
    name: 'not lets what has not changed pass, also without previous data',
    filter: `{"not":${leaf('$.s', 'changed')}}`,
    passes: [['{"s":1}', '{"s":1}'], '{"s":1}'],
    refuses: [['{"s":1}', '{"s":2}']],
  },
  {
    name: 'what has changed and what it is now are two conditions',
    filter: `{"all":[${leaf('$.status', 'changed')},${leaf('$.status', 'equals', '"paid"')},${leaf('$.at', 'greater', '"2026-01-31T12:00:00Z"')}]}`,
    passes: [['{"status":"open"}', '{"status":"paid","at":"2026-01-31T12:00:01Z"}']],
    refuses: [
      ['{"status":"paid"}', '{"status":"paid","at":"2026-01-31T12:00:01Z"}'],
      ['{"status":"paid"}', '{"status":"open","at":"2026-01-31T12:00:01Z"}'],
      ['{"status":"open"}', '{"status":"paid","at":"2026-01-31T11:00:00Z"}'],
    ],
  },
  {
    name: 'names may be any text',
    filter: `{"path":"$['order-id'].__proto__","op":"exists"}`,
    passes: ['{"order-id":{"__proto__":1}}'],
    refuses: ['{"order-id":{}}', '{}'],
  },
]
