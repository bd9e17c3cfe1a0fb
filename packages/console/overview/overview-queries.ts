import { pageQuery } from '../api/page-query.ts'
import { boundsOf, rangeOf } from '../components/charts/chart-range.ts'
import { OverviewStatisticsDocument } from '../generated/graphql.ts'

export const statisticsQuery = pageQuery(OverviewStatisticsDocument, ({ search, session }) =>
  session.webhookId !== null || !session.can('deliveries:read')
    ? null
    : boundsOf(rangeOf(search.get('range')), Date.now()),
)
