import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileFilter } from '../../src/filters/compile-filter.ts'
import type { Filter } from '../../src/filters/filter.ts'
import { matchesFilter } from '../../src/filters/match-filter.ts'
import { parseStoredFilter, printFilter, readFilter } from '../../src/filters/read-filter.ts'
import { readableData, readableEvent } from '../../src/filters/readable-data.ts'
import { sharedDatabase } from '../support/database.ts'
import { eventTexts, filterTexts } from './arbitraries.ts'
import { type CaseEvent, FILTER_CASES } from './cases.ts'

const database = await sharedDatabase()

describe.each(FILTER_CASES)('$name', ({ filter: text, passes, refuses }) => {
  const filter = parseStoredFilter(text)

  test('in TypeScript', () => {
    expect(passes.filter((data) => !decide(filter, data))).toEqual([])
    expect(refuses.filter((data) => decide(filter, data))).toEqual([])
  })

  test('in Postgres', async () => {
    expect(await decideInPostgres(filter, passes)).toEqual(passes.map(() => true))
    expect(await decideInPostgres(filter, refuses)).toEqual(refuses.map(() => false))
  })

  test('as it is printed', () => {
    expect(parseStoredFilter(printFilter(filter))).toEqual(filter)
  })
})

test('TypeScript and Postgres decide alike', async () => {
  await fc.assert(
    fc.asyncProperty(filterTexts, fc.array(eventTexts, { minLength: 20 }), async (text, data) => {
      const { filter } = readFilter(text, [])
      fc.pre(filter !== null)
      expect(await decideInPostgres(filter, data)).toEqual(data.map((one) => decide(filter, one)))
    }),
    { numRuns: 400 },
  )
})

test.each([
  ...['"\\u0000"', '{"\\u0000":1}', '"\\ud800"', '["\\udc00"]'],
  ...['1e131072', '1e-16384', '{"a":[0e9999999999]}'],
])('data that Postgres cannot read, such as %s, passes every filter', async (data) => {
  const filter = parseStoredFilter('{"path":"$.a","op":"equals","value":1}')
  expect(readableData(data)).toBeNull()
  expect(await decideInPostgres(filter, [data])).toEqual([true])
  const changed = parseStoredFilter('{"path":"$.a","op":"changed"}')
  expect(readableEvent('{}', data)).toBeNull()
  expect(await decideInPostgres(changed, [[data, '{}']])).toEqual([true])
})

test.each(['"\\\\u0000"', '"\\ud83d\\ude00"', '1e131071', '1e-16383', '-0', '0e999999'])(
  'data such as %s are read',
  async (data) => {
    const filter = parseStoredFilter('{"path":"$.a","op":"equals","value":1}')
    expect(readableData(data)).not.toBeNull()
    expect(await decideInPostgres(filter, [data])).toEqual([false])
  },
)

const textsOf = (event: CaseEvent) => (typeof event === 'string' ? ([null, event] as const) : event)

function decide(filter: Filter, event: CaseEvent): boolean {
  const [previous, data] = textsOf(event)
  const read = readableEvent(data, previous)
  return read === null || matchesFilter(filter, read.data, read.previous)
}

async function decideInPostgres(filter: Filter, events: readonly CaseEvent[]): Promise<boolean[]> {
  const { path, times } = compileFilter(filter)
  const { rows } = await database.pool.query<{ passes: boolean }>(
    `select posthorn.passes_filter(posthorn.readable_data(given.data, given.previous),
       posthorn.readable_data(given.previous), $2::jsonpath, $3::jsonb) as passes
     from unnest($1::text[], $4::text[]) with ordinality as given (data, previous, i) order by i`,
    [
      events.map((event) => textsOf(event)[1]),
      path,
      times.length > 0 ? JSON.stringify(times) : null,
      events.map((event) => textsOf(event)[0]),
    ],
  )
  return rows.map(({ passes }) => passes)
}
