import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../../api/page-query.ts'
import { EventTypeSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { SearchField } from '../../components/filters/search-field.tsx'
import { useFilters } from '../../components/filters/use-filters.ts'
import { List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../../components/page/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { WEBHOOK_STATES } from '../../components/state-badge.tsx'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { LABEL_EXAMPLE } from '../../lib/labels.ts'
import { portalLink } from '../../session/portal.ts'
import { useSession } from '../../session/session.tsx'
import { WORDS } from '../../session/words.ts'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { WEBHOOK_FILTERS, webhooksQuery } from '../webhook-queries.ts'
import { webhookColumns } from './webhook-columns.tsx'

export default function WebhooksPage() {
  const { can, webhookId } = useSession()
  const cursors = useCursors()
  const filters = useFilters(WEBHOOK_FILTERS)
  const { data, error, stale, reload } = usePageQuery(webhooksQuery)
  useHealthChanges(undefined, reload)
  const webhooks = data?.webhooks
  const withHealth = can('deliveries:read')
  const rows = webhooks?.nodes
  return (
    <Page
      title={WORDS.webhooks}
      aside={webhooks && <Total count={webhooks.totalCount} filtered={filters.active} />}
      description={t(
        'The HTTPS endpoints that receive your events. Rates and response times cover the last 24 hours.',
      )}
      actions={
        webhookId === null &&
        can('webhooks:write') && (
          <Button component={Link} to="/webhooks/new" leftSection={<IconPlus size={16} />}>
            {WORDS.create}
          </Button>
        )
      }
    >
      <WebhookFilters {...filters} />
      <List
        label={WORDS.webhooks}
        columns={webhookColumns(withHealth)}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/webhooks/${id}`}
        error={error}
        stale={stale}
        reload={reload}
        empty={<NoWebhooks filtered={filters.active} clear={filters.clear} />}
        pages={{ info: webhooks?.pageInfo, cursors }}
      />
    </Page>
  )
}

function Total({ count, filtered }: { count: number; filtered: boolean }) {
  return (
    <span style={{ color: 'var(--mantine-color-dimmed)' }} aria-live="polite">
      {filtered ? t('{count} found', { count }) : formatCount(count)}
    </span>
  )
}

/** Replaces an empty list of webhooks. */
function NoWebhooks({ filtered, clear }: { filtered: boolean; clear(): void }) {
  const { can } = useSession()
  if (filtered) return <NoMatches clear={clear} />
  if (!can('webhooks:write')) {
    return (
      <EmptyState title={WORDS.none}>
        Creating a webhook requires the scope webhooks:write.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={WORDS.none}
      action={
        <Button component={Link} to="/webhooks/new">
          {WORDS.create}
        </Button>
      }
    >
      {t(
        'Register the HTTPS URL of your endpoint, and choose the event types that the endpoint receives.',
      )}
    </EmptyState>
  )
}

type Filters = ReturnType<typeof useFilters<(typeof WEBHOOK_FILTERS)[number]>>

function WebhookFilters({ values, set, active, clear }: Filters) {
  return (
    <FilterBar active={active} clear={clear}>
      <SearchField
        label={t('Search')}
        placeholder={portalLink ? 'URL or description' : 'URL, text or uid'}
        value={values.search ?? ''}
        onChange={(search) => set({ search })}
      />
      <FilterSelect
        label={t('State')}
        w={150}
        data={WEBHOOK_STATES}
        value={values.state}
        onChange={(state) => set({ state })}
      />
      <EventTypeSelect
        label={t('Subscribes to')}
        value={values.subscribesTo}
        onChange={(subscribesTo) => set({ subscribesTo })}
        w={230}
      />
      {portalLink === null && (
        <SearchField
          label="Label"
          placeholder={LABEL_EXAMPLE}
          w={170}
          value={values.label ?? ''}
          onChange={(label) => set({ label })}
        />
      )}
    </FilterBar>
  )
}
