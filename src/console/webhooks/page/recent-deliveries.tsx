import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { List } from '../../components/lists/list.tsx'
import { NewRows } from '../../components/lists/new-rows.tsx'
import { LiveBadge } from '../../components/live-badge.tsx'
import { Section } from '../../components/page/section.tsx'
import { useDeliveries } from '../../deliveries/use-deliveries.ts'
import { t } from '../../strings/t.ts'
import { NoDeliveries, WEBHOOK_DELIVERY_COLUMNS } from './webhook-deliveries.tsx'

const NEWEST = { first: 8 }

/** The newest deliveries of a webhook, with live updates. */
export function RecentDeliveries({ webhookId }: { webhookId: string }) {
  const { rows, newer, state, error, reload } = useDeliveries({
    filter: { webhookIds: [webhookId] },
    page: NEWEST,
    countNewer: true,
    ofOneWebhook: true,
  })
  return (
    <Section
      title={t('webhooks:recentDeliveries.title')}
      actions={
        <Group gap="sm" mih={30}>
          <NewRows count={newer.count} isMore={newer.isMore} show={reload} />
          <LiveBadge state={state} />
        </Group>
      }
    >
      <List
        label={t('webhooks:recentDeliveries.title')}
        columns={WEBHOOK_DELIVERY_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ id }) => `/deliveries/${id}`}
        error={error}
        retry={reload}
        empty={<NoDeliveries />}
      />
      {rows && rows.length > 0 && (
        <Text size="sm">
          <Anchor component={Link} to="?tab=deliveries" inherit>
            {t('webhooks:recentDeliveries.showAll')}
          </Anchor>
        </Text>
      )}
    </Section>
  )
}
