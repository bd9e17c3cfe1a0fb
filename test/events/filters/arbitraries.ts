import fc from 'fast-check'

const numbers = fc.constantFrom(
  ...['0', '-0', '1', '1.0', '1e0', '10e-1', '9007199254740993', '9007199254740992', '-5', '0.1'],
  ...['1E2', '100', '1.5e+3', '1e131071', '1e-16383', '1e131072'],
)
const times = fc.constantFrom(
  ...['"2026-01-31T12:00:00Z"', '"2026-01-31T13:00:00+01:00"', '"2026-01-31T12:00:00.10Z"'],
  ...['"2026-01-31t12:00:00.1z"', '"2026-02-30T12:00:00Z"', '"2026-01-31"'],
  ...['"0000-01-01T00:00:00Z"', '"2024-02-29T00:00:00-23:59"', '"2026-01-31T23:59:60Z"'],
)
const texts = fc.constantFrom(
  ...['""', '"a"', '"ab"', '"b*"', '"a.b*c"', '"\\u00e9"', '"e\\u0301"', '"\\ud83d\\ude00"'],
  ...['"A"', '"\\""', '"\\\\"', '"\\n"', '"a\\nb"', '"1"', '"true"', '"$t[0]"', '"\\u0000"'],
)
const scalars = fc.oneof(numbers, times, texts, fc.constantFrom('true', 'false', 'null'))
const names = fc.constantFrom('a', 'b', 'items')

/** Texts of JSON: few names and values, so that filters often meet them. */
export const dataTexts: fc.Arbitrary<string> = fc.letrec<{ data: string }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    scalars,
    fc.array(tie('data'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(names, tie('data')), { maxLength: 4 })
      .map((fields) => `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  ),
})).data

/** The texts of the data of an event, and of the data before the change. Often, the two are alike. */
export const eventTexts = fc.oneof(
  dataTexts,
  fc.tuple(dataTexts, dataTexts),
  dataTexts.map((data) => [data, data] as const),
)

const paths = fc
  .array(fc.constantFrom('.a', '.b', '[0]', '[1]', '[*]', '.items'), { maxLength: 3 })
  .map((steps) => `$${steps.join('')}`)

const condition = (op: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc
    .tuple(paths, op, value)
    .map(([path, operator, text]) => `{"path":"${path}","op":"${operator}","value":${text}}`)

const conditions = fc.oneof(
  condition(fc.constantFrom('equals', 'has'), scalars),
  condition(
    fc.constant('in'),
    fc.array(scalars, { minLength: 1, maxLength: 4 }).map((list) => `[${list.join(',')}]`),
  ),
  paths.map((path) => `{"path":"${path}","op":"exists"}`),
  paths.map((path) => `{"path":"${path}","op":"changed"}`),
  condition(
    fc.constantFrom('less', 'lessOrEqual', 'greater', 'greaterOrEqual'),
    fc.oneof(numbers, times),
  ),
  condition(fc.constantFrom('startsWith', 'contains'), texts),
)

/** Texts of filters. Some break a rule. */
export const filterTexts: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    conditions,
    fc
      .tuple(fc.constantFrom('all', 'any'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([form, parts]) => `{"${form}":[${parts.join(',')}]}`),
    tie('filter').map((part) => `{"not":${part}}`),
  ),
})).filter
