import { expect, test } from 'vitest'
import { render, sourceOf } from './support/render.ts'

const DATA = String.raw`{ "id": 9007199254740993, "total": 1.50, "text": "a\/b \"c\"\n\u00e9", "none": null, "empty": "",
  "paid_at": "2026-11-27T13:05:09.5+01:00", "customer": {"name": "Ada", "order-id": 7},
  "items": [ {"sku": "a-1", "price": 1.0}, {"sku": "b\"2", "price": 2e2}, {"price": null} ], "tags": ["x", 1, null, {"a":1}], "list": [ ] }`

test.each([
  // In place of a value: the JSON itself, to the letter.
  ['{{ $.id }}', '9007199254740993'],
  ['{"a": {{ $.total }}, "b":[{{$.text}}]}', String.raw`{"a":1.50,"b":["a\/b \"c\"\n\u00e9"]}`],
  ['{"a":{{ $.customer }}}', '{"a":{"name": "Ada", "order-id": 7}}'],
  ['{{ $.items[*].sku }}', String.raw`["a-1","b\"2"]`],
  ['{{ $.items[0].sku }}', '"a-1"'],
  ['{{ $.list[*] }}', '[]'],
  [`{{ $.customer["order-id"] }}`, '7'],
  // In a string: its text, escaped.
  ['"{{ $.total }} EUR"', '"1.50 EUR"'],
  ['"<{{ $.text }}>"', String.raw`"<a\/b \"c\"\n\u00e9>"`],
  ['"{{ $.tags[*] }}"', String.raw`"[\"x\",1,null,{\"a\":1}]"`],
  [String.raw`"{{ $[\"total\"] }}"`, '"1.50"'],
  [`"{{ $['customer']['order-id'] }}"`, '"7"'],
  // Names.
  ['"{{ event.id }}"', '"evt_01k6sbn700e008000000000001"'],
  ['"{{ event.type }} {{event.occurredAt}}"', '"order.paid 2026-11-27T12:00:00.000Z"'],
  ['{{ webhook.id }}', '"wh_01k6z0c8p2e4v9xq7m3t5a1bcd"'],
  ['{{ delivery.url }}', '"https://posthorn.example.com/console/deliveries/msg_1"'],
  // Functions.
  ['"{{ $.missing | default("none") }}"', '"none"'],
  [String.raw`"{{ $.missing | default(\"none\") }}"`, '"none"'],
  [`"{{ $.empty | default('a "b"') }}"`, String.raw`"a \"b\""`],
  ['{{ $.list | default("empty") }}', '"empty"'],
  ['{{ $.items[*].sku | join(", ") }}', String.raw`"a-1, b\"2"`],
  ['"{{ $.tags | join(" + ") }}"', String.raw`"x + 1 + {\"a\":1}"`],
  ['{{ $.items | first }}', '{"sku": "a-1", "price": 1.0}'],
  ['{{ $.items[*].price | first }}', '1.0'],
  ['{{ $.missing | first | upper | truncate(3) | date("yyyy") | join("") }}', 'null'],
  ['"{{ $.customer.name | upper }}"', '"ADA"'],
  ['{{ $.text | truncate(3) }}', '"a/…"'],
  ['{{ $.text | truncate(7) }}', String.raw`"a/b \"c…"`],
  ['"{{ $.paid_at | date("yyyy-MM-dd HH:mm:ss.SSS") }}"', '"2026-11-27 12:05:09.500"'],
  [`"{{ $.paid_at | date("EEE, dd MMM yyyy 'at' HH:mm") }}"`, '"Fri, 27 Nov 2026 at 12:05"'],
  ['{{ $.total | date("yyyy") }}', '1.50'],
  // What stands in the template stays.
  [
    String.raw`{"a" : [ ], "b": "\u007b{ x }}", "c":{ }, "d": [true, -1.0e+5, null] }`,
    String.raw`{"a":[],"b":"\u007b{ x }}","c":{},"d":[true,-1.0e+5,null]}`,
  ],
])('%s gives %s', (template, body) => {
  expect(render(template, DATA)).toBe(body)
})

test('of a repeated name, the last one counts, also above a list', () => {
  const data = String.raw`{"a": {"b": 1}, "\u0061": {"c": 2, "\u0063": [3]}, "d": 4}`
  expect(render('[{{ $.a.b }}, {{ $.a.c[0] }}, {{ $.d }}]', data)).toBe('[null,3,4]')
  const lists = '{"a":[{"b":1,"b":2},{"b":3}],"c":{"d":1},"c":{}}'
  expect(render('[{{ $.a[*].b }},{{ $.c.d }}]', lists)).toBe('[[2,3],null]')
})

test('$previous is the data before the change, and missing without one', () => {
  const template = '{"from":{{ $previous.total }},"to":{{ $.total }},"all":{{$previous}}}'
  const { event } = sourceOf('{"total":2.0}')
  const changed = { event: { ...event, previous: '{"total":1.0}' } }
  expect(render(template, event.data, changed)).toBe('{"from":1.0,"to":2.0,"all":{"total":1.0}}')
  expect(render(template, event.data)).toBe('{"from":null,"to":2.0,"all":null}')
})

test('truncate never cuts a character in two', () => {
  expect(render('"{{ $ | truncate(2) }}"', '"a😀b"')).toBe('"a…"')
  expect(render('"{{ $ | truncate(3) }}"', '"a😀b"')).toBe('"a…"')
  expect(render('"{{ $ | truncate(4) }}"', '"a😀b"')).toBe('"a😀b"')
  expect(render('"{{ $ | truncate(1) }}"', '"😀b"')).toBe('"…"')
})

test.each(['"}}{{"', '{{ $.secret }}', '","admin":true,"', '</script>', '\\', '\u2028'])(
  'the value %j of an event is never read as a template or as JSON',
  (hostile) => {
    const data = JSON.stringify({ hostile, secret: 'x' })
    const body = JSON.parse(render('{"a":"{{ $.hostile }}","b":{{ $.hostile }}}', data))
    expect(body).toEqual({ a: hostile, b: hostile })
  },
)
