import { useRead } from '../api/use-read.ts'
import { type Preset, Presets } from '../components/filters/presets.tsx'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { PageActions } from '../components/page/page-actions.tsx'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { COLUMNS } from './attempt-columns.tsx'
import { AttemptFilters, useAttemptFilters } from './attempt-filters.tsx'
import { attemptsQuery } from './attempts-query.ts'
import { deliveriesPath } from './deliveries-path.ts'

/** All attempts by their own time: a delivery of last week can have failed a minute ago. */
export default function AttemptsPage() {
  const session = useSession()
  const filters = useAttemptFilters(session.webhookId)
  const cursors = useCursors()
  const { data, ...read } = useRead(
    attemptsQuery.query,
    { ...cursors.variables, filter: filters.filter, withWebhook: session.can('webhooks:read') },
    { context: attemptsQuery.context },
  )
  const rows = data?.attempts?.nodes
  return (
    <Page
      title={t('Attempts')}
      description="Each attempt is one request to an endpoint. Filters use the time of the attempt, not of its delivery."
      actions={
        <PageActions
          actions={[
            {
              label: 'Show the deliveries of these attempts',
              to: deliveriesPath(filters.values),
            },
          ]}
        />
      }
    >
      <Presets presets={PRESETS} />
      <AttemptFilters filters={filters} />
      <List
        label={t('Attempts')}
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id, delivery }) =>
          delivery ? `/deliveries/${delivery.id}?attempt=${id}` : '/attempts'
        }
        {...read}
        pages={{ info: data?.attempts?.pageInfo, cursors }}
        empty={
          filters.active ? (
            <NoMatches clear={filters.clear} />
          ) : (
            <EmptyState title="No attempts yet">
              An attempt appears here as soon as it has ended.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

/** Frequent questions about attempts, as query parameters. */
const PRESETS: readonly Preset[] = [
  { label: 'Failed in the last hour', params: { status: 'FAILED', within: '1h' } },
  { label: 'No response today', params: { status: 'NO_RESPONSE', within: 'today' } },
  { label: 'Slow today', params: { duration: '5000', within: 'today' } },
]
