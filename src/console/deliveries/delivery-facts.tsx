import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Id } from '../components/id.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format.ts'
import type { DeliveryQuery } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { webhookName } from '../webhooks/webhook-name.ts'

interface DeliveryFactsProps {
  readonly delivery: NonNullable<DeliveryQuery['delivery']>
}

export function DeliveryFacts({ delivery }: DeliveryFactsProps) {
  const { id, webhook, webhookId, createdAt, finishedAt, attemptCount, eventType } = delivery
  const withWebhook = useSession().can('webhooks:read')
  return (
    <Facts
      facts={[
        { label: t('deliveries:delivery.facts.id'), value: <Id id={id} /> },
        {
          label: t('deliveries:delivery.facts.webhook'),
          value: webhook ? (
            <Anchor component={Link} to={`/webhooks/${webhookId}`} inherit>
              {webhookName(webhook)}
            </Anchor>
          ) : (
            <>
              <Id id={webhookId} />
              {withWebhook && t('deliveries:delivery.facts.deleted')}
            </>
          ),
        },
        {
          label: t('deliveries:delivery.facts.eventType'),
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
        { label: t('deliveries:delivery.facts.created'), value: <Time at={createdAt} /> },
        {
          label: t('deliveries:delivery.facts.finished'),
          value: finishedAt ? <Time at={finishedAt} /> : t('deliveries:delivery.facts.notFinished'),
        },
        { label: t('deliveries:delivery.facts.attempts'), value: formatCount(attemptCount) },
      ]}
    />
  )
}
