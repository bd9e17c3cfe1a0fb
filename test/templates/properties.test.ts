import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newBudget, OverBudget } from '../../src/lib/work-budget.ts'
import { renderTemplate } from '../../src/templates/render-template.ts'
import { MAX_RENDERED_BYTES } from '../../src/templates/template.ts'
import { compiled, render, sourceOf } from './support/render.ts'

const hostileTexts = fc.constantFrom(
  ...['"}}{{"', '{{ $ }}', '</script>', '\u0000', '\ud800', '\udc00', '\u2028', '\\', '\\u', '"'],
  ...['😀', 'ﬃ', '2026-11-27T12:00:00Z', '  ', 'é', '\n', "'", '}}', '$&', '$1'],
)
const texts = fc.oneof(
  hostileTexts,
  fc.string({ unit: 'binary' }),
  fc.array(hostileTexts).map((list) => list.join('')),
)
const numbers = fc.constantFrom('1e999999', '-0', '1.0', '9007199254740993', '1E+2')

/** A string of JSON, with or without escapes that are not needed. */
const strings = fc.oneof(
  texts.map((text) => JSON.stringify(text)),
  texts.map(
    (text) =>
      `"${[...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`,
  ),
)
const names = fc.oneof(fc.constantFrom('"a"', '"b"', '"__proto__"'), strings)

/** Values in any letters. Names repeat within an object. */
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(strings, numbers, fc.constantFrom('true', 'false', 'null')),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[ ${items.join('\n,')}]`),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${name}: ${value}`).join()} }`),
  ),
})).value

const steps = fc.constantFrom('.a', '.b', '[0]', '[1]', '[*]', '.__proto__', `['a']`)
const from = fc.oneof(
  fc.array(steps, { maxLength: 3 }).map((list) => `$${list.join('')}`),
  fc.array(steps, { maxLength: 3 }).map((list) => `$previous${list.join('')}`),
  fc.constantFrom('event.id', 'event.type', 'event.occurredAt', 'webhook.id', 'delivery.url'),
)
const functions = fc.constantFrom(
  ...['default("x")', "default('\"')", 'default(1.50)', 'default(null)', 'join(", ")'],
  'join("\\u0000")',
  ...['first', 'upper', 'truncate(1)', 'truncate(5)', 'date("yyyy-MM-dd")', `date("'}}'")`],
)
const placeholders = fc
  .tuple(from, fc.array(functions, { maxLength: 3 }))
  .map(([path, list]) => `{{ ${[path, ...list].join(' | ')} }}`)
const templates = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    placeholders,
    fc
      .tuple(strings, fc.array(placeholders, { maxLength: 3 }))
      .map(([string, list]) => `${string.slice(0, -1).replaceAll('{{', '')}${list.join(' ')}"`),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(tie('value'), { maxLength: 3 })
      .map((items) => `{${items.map((item) => `"a": ${item}`).join()}}`),
  ),
})).value

test('the result is JSON for every template and all data', () => {
  fc.assert(
    fc.property(templates, json, fc.option(json), (template, data, previous) => {
      const { event } = sourceOf(data)
      const body = render(template, data, { event: { ...event, type: '"}\\', previous } })
      JSON.parse(body)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_RENDERED_BYTES)
    }),
    { numRuns: 3000 },
  )
})

const LARGE = 250_000

test.each([
  ['texts', JSON.stringify('x'.repeat(LARGE))],
  ['control characters', `"${'\\u0000'.repeat(LARGE / 6)}"`],
  ['characters of four bytes', JSON.stringify('😀'.repeat(LARGE / 4))],
  ['a list of numbers', `[${'1,'.repeat(LARGE / 2)}1]`],
  ['an object', `{"a":"${'x'.repeat(LARGE)}"}`],
])('100 placeholders with %s give JSON of at most 256 KiB', (_, data) => {
  const kinds = ['"{{ $ }}"', '{{ $ }}', '"{{ $ | upper }}"', '{{ $[*] }}', '{{ $ | join(", ") }}']
  for (const one of [...kinds, `"{{ $${'[*]'.repeat(50)} }}"`]) {
    const template = compiled(`[${Array(100).fill(one).join()}]`)
    const body = renderTemplate(template, sourceOf(data), newBudget())
    expect(JSON.parse(body)).toHaveLength(100)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_RENDERED_BYTES)
  }
})

const NESTED = '['.repeat(LARGE / 2) + ']'.repeat(LARGE / 2)

test.each([
  ['an item as large as the data, a hundred times', '{{ $ | join(", ") }}', NESTED],
  [
    'white space, eight hundred times',
    `{{ $${' | default(1)'.repeat(8)} }}`,
    `[${' '.repeat(LARGE)}1]`,
  ],
])('work beyond the budget is refused: %s', (_, placeholder, data) => {
  expect(() => render(`[${Array(100).fill(placeholder).join()}]`, data)).toThrow(OverBudget)
})

test('paths that lead to the same items in many ways are refused beyond the budget', () => {
  const paths = Array.from({ length: 100 }, (_, way) =>
    Array.from({ length: 7 }, (_, level) => ((way >> level) & 1 ? '[0]' : '[*]')).join(''),
  )
  const template = `[${paths.map((path) => `{{ $.a${path}[*] | first }}`).join()}]`
  const data = (items: number) => `{"a":[[[[[[[[${Array(items).fill(10).join()}]]]]]]]]}`
  expect(JSON.parse(render(template, data(100)))).toEqual(Array(100).fill(10))
  expect(() => render(template, data(87_000))).toThrow(OverBudget)
})

test('what does not fit is shortened: a text ends with …, and anything else is null', () => {
  const data = JSON.stringify({ text: 'é'.repeat(50_000), list: Array(60_000).fill(1) })
  const [first, second, third, fourth, list] = JSON.parse(
    render('["{{ $.text }}",{{ $.text }},"{{ $.text }}","{{ $.text }}",{{ $.list }}]', data),
  )
  expect([first.length, second.length]).toEqual([50_000, 50_000])
  expect(third).toMatch(/^é+…$/)
  expect([fourth, list]).toEqual([expect.stringMatching(/^é?…$/), null])
})
