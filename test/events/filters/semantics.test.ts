import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainRefusals } from '../../../src/events/filters/decide.ts'
import type { Filter } from '../../../src/events/filters/filter.ts'
import {
  parseStoredFilter,
  printFilter,
  readFilter,
} from '../../../src/events/filters/read-filter.ts'
import { sharedDatabase } from '../../support/database.ts'
import { eventTexts, filterTexts } from './arbitraries.ts'
import { type CaseEvent, FILTER_CASES } from './cases.ts'

const database = await sharedDatabase()

describe.each(FILTER_CASES)('$name', ({ filter: text, passes, refuses }) => {
  const filter = parseStoredFilter(text)

  test('in Postgres', async () => {
    expect(await decide(filter, passes)).toEqual(passes.map(() => true))
    expect(await decide(filter, refuses)).toEqual(refuses.map(() => false))
  })

  test('as it is printed', () => {
    expect(parseStoredFilter(printFilter(filter))).toEqual(filter)
  })
})

test('every filter decides about every event that Postgres can read, and its opposite decides the opposite', async () => {
  await fc.assert(
    fc.asyncProperty(filterTexts, fc.array(eventTexts, { minLength: 20 }), async (text, data) => {
      const { filter } = readFilter(text, [])
      fc.pre(filter !== null)
      const [passes, fails] = [await decide(filter, data), await decide({ not: filter }, data)]
      for (const [i, event] of data.entries()) {
        expect([passes[i], fails[i]].filter(Boolean)).toHaveLength(isReadable(event) ? 1 : 2)
      }
    }),
    { numRuns: 200 },
  )
})

const UNREADABLE = /\\u0000|1e131072/

const isReadable = (event: CaseEvent) => !textsOf(event).some((text) => UNREADABLE.test(text ?? ''))

test.each([
  ...['"\\u0000"', '{"\\u0000":1}', '"\\ud800"', '["\\udc00"]'],
  ...['1e131072', '1e-16384', '{"a":[0e9999999999]}'],
])('data that Postgres cannot read, such as %s, passes every filter', async (data) => {
  const filter = parseStoredFilter('{"path":"$.a","op":"equals","value":1}')
  expect(await decide(filter, [data])).toEqual([true])
  const changed = parseStoredFilter('{"path":"$.a","op":"changed"}')
  expect(await decide(changed, [[data, '{}']])).toEqual([true])
})

test.each([
  [
    '{"all":[{"path":"$.a","op":"exists"},{"path":"$.b","op":"greater","value":100}]}',
    '{"a":1,"b":50}',
    'It does not meet: $.b is greater than 100.',
  ],
  [
    '{"any":[{"path":"$.a","op":"in","value":[1,"x"]},{"not":{"path":"$.b","op":"exists"}}]}',
    '{"b":1}',
    'It does not meet: ($.a is one of 1, "x" or not ($.b exists)).',
  ],
])('%s says what %s does not meet', async (text, data, sentence) => {
  const events = [textsIn('{}'), textsIn(data)]
  const refusals = await explainRefusals(database.pool, parseStoredFilter(text), events)
  expect(refusals.get(events[1] as (typeof events)[0])).toBe(sentence)
})

test('many events take several statements', async () => {
  const filter = parseStoredFilter('{"path":"$[*]","op":"has","value":1}')
  const events = Array.from({ length: 60 }, (_, n) => `[[${'0,'.repeat(20_000)}${n % 3}]]`)
  expect(await decide(filter, events)).toEqual(events.map((_, n) => n % 3 === 1))
})

const textsOf = (event: CaseEvent) => (typeof event === 'string' ? ([null, event] as const) : event)

function textsIn(event: CaseEvent) {
  const [previous, data] = textsOf(event)
  return { data, previous }
}

async function decide(filter: Filter, events: readonly CaseEvent[]): Promise<boolean[]> {
  const given = events.map(textsIn)
  const refusals = await explainRefusals(database.pool, filter, given)
  return given.map((event) => !refusals.has(event))
}
