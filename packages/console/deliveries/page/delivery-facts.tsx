import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Id } from '../../components/copy-button.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Time } from '../../components/time.tsx'
import type { DeliveryQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import { webhookName } from '../../webhooks/webhook-name.ts'

export function DeliveryFacts({ delivery }: { delivery: NonNullable<DeliveryQuery['delivery']> }) {
  const { id, webhook, webhookId, createdAt, finishedAt, attemptCount, eventType } = delivery
  const { can } = useSession()
  const withWebhook = can('webhooks:read')
  return (
    <Facts
      facts={[
        { label: 'Id (sent in a header of each attempt)', value: <Id id={id} /> },
        {
          label: t('Webhook'),
          value: webhook ? (
            <Anchor component={Link} to={`/webhooks/${webhookId}`} inherit>
              {webhookName(webhook)}
            </Anchor>
          ) : (
            <>
              <Id id={webhookId} />
              {withWebhook && t('Deleted')}
            </>
          ),
        },
        {
          label: t('Event type'),
          value: (
            <Anchor
              component={Link}
              to={`/event-types/${encodeURIComponent(eventType.name)}`}
              inherit
            >
              {eventType.name}
            </Anchor>
          ),
        },
        { label: t('Created'), value: <Time at={createdAt} /> },
        { label: t('Finished'), value: finishedAt ? <Time at={finishedAt} /> : t('Not yet') },
        { label: t('Attempts'), value: formatCount(attemptCount) },
      ]}
    />
  )
}
