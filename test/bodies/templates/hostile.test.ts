import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileTemplate, MAX_RENDERED_BYTES } from '../../../src/bodies/templates/template.ts'
import { OverBudget } from '../../../src/lib/work-budget.ts'
import { render } from './support/render.ts'

const LARGE = 250_000
const NUMBERS = `[${'1,'.repeat(LARGE / 2)}1]`
const TEXT = JSON.stringify('x'.repeat(LARGE))
const TEN = '(1..10)'

/** In so many loops around a body. */
const inLoops = (count: number, list: string, body: string) =>
  `"${`{% for x in ${list} %}`.repeat(count)}${body}${'{% endfor %}'.repeat(count)}"`

test.each([
  ['a huge range', '"{% for x in (1..1000000000) %}{% endfor %}"', '{}'],
  ['a range that the data ends', '"{{ (1..data.n) | size }}"', '{"n": 1e999}'],
  ['loops in loops', inLoops(9, TEN, ''), '{}'],
  ['loops over the data in loops', inLoops(2, 'data', ''), NUMBERS],
  ['the size of a large object in a loop', inLoops(1, '(1..100)', '{{ data.size }}'), wide()],
  [
    'a search in a list in a loop',
    inLoops(1, 'data', '{% if data contains 2 %}{% endif %}'),
    NUMBERS,
  ],
  ['a large text in a loop', inLoops(1, '(1..1000)', '{{ data }}'), TEXT],
  ['a long text of the template in a loop', inLoops(5, TEN, 'x'.repeat(30_000)), '{}'],
  [
    'a text that doubles',
    `"{% assign a = 'xx' %}${"{% capture a %}{{ a | replace: 'x', 'xx' }}{% endcapture %}".repeat(60)}"`,
    '{}',
  ],
  ['many filters on a large list', `"{{ data ${"| join: '' | split: '' ".repeat(500)}}}"`, NUMBERS],
  ['a long format of a date', `"{{ event.occurredAt | date: '${'%B'.repeat(9_000)}' }}"`, '{}'],
  ['JSON that nests deeper than the stack', '"{{ data | json }}"', nested(100_000)],
  ['a value that cannot be a text', '"{{ (1..data) | size }}"', '{"toString": 1, "valueOf": 1}'],
  ['a function of a loop', inLoops(1, '(1..2)', '{{ forloop.constructor }}'), '{}'],
  ['more than 256 KiB', '["{{ data }}", "{{ data }}"]', TEXT],
])('%s makes no body', (_, template, data) => {
  expect(() => render(template, data)).toThrow(OverBudget)
})

function wide(): string {
  return `{${Array.from({ length: 20_000 }, (_, i) => `"key${i}":1`).join()}}`
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

test.each([
  '{% if data.list == data.same or data.list > data.same %}x{% endif %}',
  '{{ data[data.list] }}',
  '{% for y in (1..data.list) %}x{% endfor %}',
  '{% for y in (1..9) limit: data.list %}x{% endfor %}',
  "{{ 'a' | split: data.list | join: data.list | replace: 'a', data.list }}",
  "{{ 'x' | truncate: data.list, data.list }}{{ data.list | upcase }}",
])('%s makes no text of a list, which can take long, and does not compare its items', (text) => {
  const list = [[1, 2]]
  expect(render(`"${text}"`, JSON.stringify({ list, same: list }))).toBe('""')
})

test.each([
  '{{ data.constructor }}{{ data.__proto__ }}{{ data.a.toString }}{{ data.a.constructor.name }}',
  "{{ data['constructor'] }}{{ data.a | map: 'constructor' | first }}{{ data.list.map }}",
  '{% for x in data.list %}{{ x.constructor }}{{ x.__proto__ }}{% endfor %}',
])('%s shows nothing of a prototype', (text) => {
  expect(render(JSON.stringify(text), '{"a": {"b": 1}, "list": [{}]}')).toBe('""')
})

test('a field that is called like a part of a program is a field', () => {
  const data = '{"__proto__":{"x":1},"constructor":"c","isLosslessNumber":true,"value":"},"}'
  expect(render('"{{ data.__proto__.x }}{{ data.constructor }}"', data)).toBe('"1c"')
  expect(render('"{{ data | json }}"', data)).toBe(data)
})

test.each(['now', 'today', '2026-11-27', '2026-11-27 12:00', '1764244800'])(
  'a body depends neither on the clock nor on the time zone: %s is no time',
  (text) => {
    const data = JSON.stringify({ text, number: 1764244800 })
    expect(render('"{{ data.text | date: \'%H:%M\' }}"', data)).toBe(JSON.stringify(text))
    expect(render('"{{ data.number | date: \'%H\' }}"', data)).toBe('"1764244800"')
  },
)

test.each([
  '"}}{{"',
  '{{ data.secret }}',
  '{% if %}',
  '","admin":true,"',
  '</script>',
  '\\',
  '\u2028',
])('the value %j of an event is never read as a template or as JSON', (hostile) => {
  const data = JSON.stringify({ hostile, secret: 'x' })
  const body = JSON.parse(
    render('{"a":"{{ data.hostile }}","b":"{{ data.hostile | json }}"}', data),
  )
  expect(body).toEqual({ a: hostile, b: hostile })
})

const texts = fc.oneof(
  fc.constantFrom('}}{{', '{% raw %}', '\u0000', '\ud800', '\\', '"', '😀', '2026-11-27T12:00:00Z'),
  fc.string({ unit: 'binary' }),
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.constantFrom(null, true, 0, -0, 1.5, 1e21),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'toString'), texts),
      tie('value'),
    ),
  ),
})).value
const names = fc.constantFrom(
  ..."data data.a data.a.b data[0] data.a.size previous.a event.type nil 'x'".split(' '),
)
const filters = fc.constantFrom(
  ..."json | size | upcase | escape | join: ',' | map: 'a' | first | split: '' | date: '%b'".split(
    ' | ',
  ),
  ..."default: data.b | truncate: 3, '…' | truncate: data.b | plus: data.b | replace: 'a', data.b".split(
    ' | ',
  ),
)
const outputs = fc
  .tuple(names, fc.array(filters, { maxLength: 3 }))
  .map(([name, list]) => `{{ ${[name, ...list].join(' | ')} }}`)
const liquid = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    outputs,
    outputs,
    fc.constantFrom('"', '\\', 'x'),
    fc.tuple(tie('text'), tie('text')).map((both) => both.join('')),
    fc.tuple(names, tie('text')).map(([name, text]) => `{% for x in ${name} %}${text}{% endfor %}`),
    fc
      .tuple(names, fc.constantFrom('==', '>', 'contains'), names, tie('text'))
      .map(([a, operator, b, text]) => `{% if ${a} ${operator} ${b} %}${text}{% endif %}`),
  ),
})).text
const templates = fc
  .array(fc.tuple(texts, liquid), { maxLength: 3 })
  .map((list) =>
    JSON.stringify(
      Object.fromEntries(list.map(([name, text], i) => [i, [text, name.replaceAll('{', '')]])),
    ),
  )

test('the body is JSON of at most 256 KiB for every template and all data, or there is none', () => {
  let bodies = 0
  fc.assert(
    fc.property(templates, json, fc.option(json), (template, data, previous) => {
      if (compileTemplate(template).template === null) return
      const before = previous === null ? null : JSON.stringify(previous)
      try {
        const body = render(template, JSON.stringify(data), { previous: before })
        JSON.parse(body)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_RENDERED_BYTES)
        bodies++
      } catch (error) {
        expect(error).toBeInstanceOf(OverBudget)
      }
    }),
    { numRuns: 3000 },
  )
  expect(bodies).toBeGreaterThan(2000)
})
