import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { usePageQuery } from '../../api/page-query.ts'
import { useFilters } from '../../components/filters/use-filters.ts'
import { List } from '../../components/lists/list.tsx'
import { useCursors } from '../../components/lists/use-cursors.ts'
import { Page } from '../../components/page/page.tsx'
import { formatCount } from '../../format.ts'
import { useSession } from '../../session/session.tsx'
import { useHealthChanges } from '../health/use-health-changes.ts'
import { WEBHOOK_FILTERS, webhooksQuery } from '../webhook-queries.ts'
import { NoWebhooks } from './no-webhooks.tsx'
import { webhookColumns } from './webhook-columns.tsx'
import { WebhookFilters } from './webhook-filters.tsx'

export default function WebhooksPage() {
  const { can, webhookId } = useSession()
  const cursors = useCursors()
  const filters = useFilters(WEBHOOK_FILTERS)
  const { data, error, stale, reload } = usePageQuery(webhooksQuery)
  useHealthChanges(undefined, reload)
  const webhooks = data?.webhooks
  return (
    <Page
      title="Webhooks"
      aside={webhooks && <Total count={webhooks.totalCount} filtered={filters.active} />}
      description="The HTTPS endpoints that receive your events. Rates and response times cover the last 24 hours."
      actions={
        webhookId === null &&
        can('webhooks:write') && (
          <Button component={Link} to="/webhooks/new" leftSection={<IconPlus size={16} />}>
            Create webhook
          </Button>
        )
      }
    >
      <WebhookFilters {...filters} />
      <List
        label="Webhooks"
        columns={webhookColumns(can('deliveries:read'))}
        rows={webhooks?.nodes}
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
      {filtered ? `${count} found` : formatCount(count)}
    </span>
  )
}
