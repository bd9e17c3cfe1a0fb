import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, useSearchParams } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { EventTypeSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { SearchField } from '../../components/filters/search-field.tsx'
import { useFilters } from '../../components/filters/use-filters.ts'
import { List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { WEBHOOK_STATES } from '../../components/state-badge.tsx'
import {
  WebhookListDocument,
  type WebhookOrder,
  type WebhookState,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { LABEL_EXAMPLE, labelFilter } from '../../lib/labels.ts'
import { portalLink } from '../../session/portal.ts'
import { useSession } from '../../session/session.tsx'
import { WORDS } from '../../session/words.ts'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { webhookColumns } from './webhook-columns.tsx'

const FILTERS = ['search', 'state', 'subscribesTo', 'label'] as const
const ORDERS: readonly WebhookOrder[] = ['MOST_WAITING', 'NAME']
const CONTEXT = { additionalTypenames: ['Webhook'] }

export default function WebhooksPage() {
  const { can, webhookId } = useSession()
  const [params] = useSearchParams()
  const cursors = useCursors()
  const { values, set, active, clear } = useFilters(FILTERS)
  const { search, state, subscribesTo, label } = values
  const { data, error, stale, reload } = useRead(
    WebhookListDocument,
    {
      ...cursors.variables,
      orderBy: ORDERS.find((order) => order === params.get('order')) ?? 'ATTENTION_FIRST',
      filter: {
        search,
        states: state === null ? null : [state as WebhookState],
        subscribesTo,
        metadata: labelFilter(label),
      },
    },
    { context: CONTEXT },
  )
  useHealthChanges(undefined, reload)
  const webhooks = data?.webhooks
  const mayCreate = webhookId === null && can('webhooks:write')
  const create = (
    <Button component={Link} to="/webhooks/new" leftSection={<IconPlus size={16} />}>
      {WORDS.create}
    </Button>
  )
  return (
    <Page
      title={WORDS.webhooks}
      aside={
        webhooks && (
          <Text span c="dimmed" aria-live="polite">
            {active
              ? t('{count} found', { count: webhooks.totalCount })
              : formatCount(webhooks.totalCount)}
          </Text>
        )
      }
      description={t(
        'The HTTPS endpoints that receive your events. The success rate covers the last 24 hours.',
      )}
      actions={mayCreate && create}
    >
      <FilterBar active={active} clear={clear}>
        <SearchField
          label={t('Search')}
          placeholder={portalLink ? 'URL or description' : 'URL, text or uid'}
          value={search ?? ''}
          onChange={(text) => set({ search: text })}
        />
        <FilterSelect
          label={t('State')}
          w={150}
          data={WEBHOOK_STATES}
          value={state}
          onChange={(chosen) => set({ state: chosen })}
        />
        <EventTypeSelect
          label={t('Subscribes to')}
          value={subscribesTo}
          onChange={(type) => set({ subscribesTo: type })}
          w={230}
        />
        {portalLink === null && (
          <SearchField
            label="Label"
            placeholder={LABEL_EXAMPLE}
            w={170}
            value={label ?? ''}
            onChange={(text) => set({ label: text })}
          />
        )}
      </FilterBar>
      <List
        label={WORDS.webhooks}
        columns={webhookColumns(can('deliveries:read'))}
        rows={webhooks?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => `/webhooks/${id}`}
        error={error}
        stale={stale}
        reload={reload}
        clearFilters={active && clear}
        empty={
          <EmptyState title={WORDS.none} action={mayCreate && create}>
            {mayCreate
              ? t(
                  'Register the HTTPS URL of your endpoint, and choose the event types that the endpoint receives.',
                )
              : 'Creating a webhook requires the scope webhooks:write.'}
          </EmptyState>
        }
        pages={{ info: webhooks?.pageInfo, cursors }}
      />
    </Page>
  )
}
