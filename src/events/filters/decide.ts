import type { Sql } from '../../db/client.ts'
import { printExactJson } from '../../lib/exact-json.ts'
import { excerpt } from '../../lib/excerpt.ts'
import { printPath } from '../../lib/json-path.ts'
import { MAX_STEPS } from '../../lib/work-budget.ts'
import { compileFilter } from './compile-filter.ts'
import { type Filter, ruleOf, valuesOf } from './filter.ts'

/** The texts of an event. */
interface EventTexts {
  readonly data: string
  readonly previous: string | null
}

/** The steps of one statement, so that it ends within a second. */
const MAX_STEPS_OF_STATEMENT = 5 * MAX_STEPS

/**
 * The events that a filter lets through: those that pass, and those about which it does not decide, because Postgres cannot
 * read their data or because the work takes too many steps. Publishing decides in the same way.
 */
export async function letThrough<Event extends EventTexts>(
  sql: Sql,
  filter: Filter,
  events: readonly Event[],
): Promise<Event[]> {
  const { path, times, cost } = compileFilter(filter)
  const found: Event[] = []
  for (let at = 0; at < events.length; ) {
    let end = at
    for (let steps = 0; end < events.length && steps < MAX_STEPS_OF_STATEMENT; end++) {
      const { data, previous } = events[end] as Event
      const length = data.length + (previous?.length ?? 0)
      steps += Math.min(cost.steps + length + cost.scans * length, MAX_STEPS)
    }
    const page = events.slice(at, end)
    const { rows } = await sql.query<{ n: number }>({
      name: 'let_events_through',
      text: LET_THROUGH,
      values: [
        page.map(({ data }) => data),
        page.map(({ previous }) => previous),
        ...[path, times.length > 0 ? JSON.stringify(times) : null, cost.steps, cost.scans],
      ],
    })
    found.push(...rows.map(({ n }) => page[n - 1] as Event))
    at = end
  }
  return found
}

const LET_THROUGH = `
  select n::int from unnest($1::text[], $2::text[]) with ordinality as event (data, previous, n)
  where posthorn.lets_through(data, previous, $3::jsonpath, $4::jsonb, $5, $6) order by n`

/** For each event that a filter refuses, a sentence with the first condition that the event does not meet. */
export async function explainRefusals<Event extends EventTexts>(
  sql: Sql,
  filter: Filter,
  events: readonly Event[],
): Promise<Map<Event, string>> {
  const refusals = new Map<Event, string>()
  const passing = new Set(await letThrough(sql, filter, events))
  let left = events.filter((event) => !passing.has(event))
  for (const part of 'all' in filter ? filter.all : [filter]) {
    const met = new Set(await letThrough(sql, part, left))
    for (const event of left) {
      if (!met.has(event)) refusals.set(event, `It does not meet: ${describeFilter(part)}.`)
    }
    left = left.filter((event) => met.has(event))
  }
  return refusals
}

const MAX_VALUE_LENGTH = 60

/** What a filter states, as a clause: `$.total is greater than 100`. */
function describeFilter(filter: Filter): string {
  if ('all' in filter) return filter.all.map(describeFilter).join(' and ')
  if ('any' in filter) return `(${filter.any.map(describeFilter).join(' or ')})`
  if ('not' in filter) return `not (${describeFilter(filter.not)})`
  const values = valuesOf(filter).map((value) => excerpt(printExactJson(value), MAX_VALUE_LENGTH))
  return `${printPath(filter.path)} ${ruleOf(filter.op).says} ${values.join(', ')}`.trimEnd()
}
