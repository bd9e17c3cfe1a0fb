import { pageQuery } from '../api/page-query.ts'
import { boundsOf, type ChartRange, rangeOf } from '../components/charts/chart-range.ts'
import { OverviewStatisticsDocument } from '../generated/graphql.ts'

export const statisticsQuery = pageQuery(OverviewStatisticsDocument, ({ search, session }) => {
  const [value, from, to] = ['range', 'from', 'to'].map((name) => search.get(name))
  if (session.webhookId !== null || !session.can('deliveries:read')) return null
  return comparedBoundsOf(rangeOf(value ?? null, from ?? null, to ?? null), Date.now())
})

/** The range and the range before it. */
export function comparedBoundsOf(range: ChartRange, nowMs: number) {
  return boundsOf(range, nowMs, 2)
}
