import type { Sql } from '../../db/client.ts'
import { printExactJson } from '../../lib/exact-json.ts'
import { excerpt } from '../../lib/excerpt.ts'
import { printPath } from '../../lib/json-path.ts'
import { compileFilter } from './compile-filter.ts'
import { type Filter, ruleOf, valuesOf } from './filter.ts'

/** The texts of an event. */
interface EventTexts {
  readonly data: string
  readonly previous: string | null
}

/** Events in one statement if a condition looks at all data, so that it ends within a second. */
const EVENTS_OF_STATEMENT = 5

/**
 * For each event that a filter refuses, a sentence with the first condition that the event does not meet. Events about which
 * the filter does not decide pass, because Postgres cannot read their data or because the work takes too many steps.
 * Publishing decides in the same way.
 */
export async function explainRefusals<Event extends EventTexts>(
  sql: Sql,
  filter: Filter,
  events: readonly Event[],
): Promise<Map<Event, string>> {
  const parts = 'all' in filter ? filter.all : [filter]
  const compiled = [filter, ...parts].map(compileFilter)
  const refusals = new Map<Event, string>()
  const size = compiled.some(({ scans }) => scans > 0) ? EVENTS_OF_STATEMENT : events.length
  for (let at = 0; at < events.length; at += size) {
    const page = events.slice(at, at + size)
    const { rows } = await sql.query<{ n: number; part: number }>({
      name: 'explain_refusals',
      text: EXPLAIN_REFUSALS,
      values: [
        page.map(({ data }) => data),
        page.map(({ previous }) => previous),
        compiled.map(({ path }) => path),
        compiled.map(({ times }) => times && JSON.stringify(times)),
        ...[compiled.map(({ steps }) => steps), compiled.map(({ scans }) => scans)],
      ],
    })
    for (const { n, part } of rows) {
      const sentence = `It does not meet: ${describeFilter(parts[part] ?? filter)}.`
      refusals.set(page[n] as Event, sentence)
    }
  }
  return refusals
}

/** The first filter is the whole one, which decides. */
const EXPLAIN_REFUSALS = `
  with part as materialized (
    select part.*, n - 2 as index from unnest($3::jsonpath[], $4::jsonb[], $5::int[], $6::int[]) with ordinality
      as part (path, times, steps, scans, n)
  )
  select event.n::int - 1 as n, (
    select min(part.index)::int from part
    where part.index >= 0 and not posthorn.lets_through(data, previous, path, times, steps, scans)
  ) as part
  from unnest($1::text[], $2::text[]) with ordinality as event (data, previous, n)
  join part as whole on whole.index = -1 and not posthorn.lets_through(data, previous, path, times, steps, scans)`

const MAX_VALUE_LENGTH = 60

/** What a filter states, as a clause: `$.total is greater than 100`. */
function describeFilter(filter: Filter): string {
  if ('all' in filter) return filter.all.map(describeFilter).join(' and ')
  if ('any' in filter) return `(${filter.any.map(describeFilter).join(' or ')})`
  if ('not' in filter) return `not (${describeFilter(filter.not)})`
  const values = valuesOf(filter).map((value) => excerpt(printExactJson(value), MAX_VALUE_LENGTH))
  return `${printPath(filter.path)} ${ruleOf(filter.op).says} ${values.join(', ')}`.trimEnd()
}
