import { Anchor, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { JsonView } from '../../components/json/json-view.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { notKeptText } from '../../events/not-kept-text.ts'
import { WhatHasChanged } from '../../events/what-has-changed.tsx'
import { DeliveryBodyDocument, type DeliveryBodyQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'

const SentVersion = lazy(() =>
  import('../../webhooks/body/sent-version.tsx').then((m) => ({ default: m.SentVersion })),
)

/** The body of every attempt of a delivery, which never changes. That of the webhook does. */
export function DeliveryBody({ deliveryId }: { deliveryId: string }) {
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, reload } = useRead(DeliveryBodyDocument, { id: deliveryId, withWebhook })
  const delivery = data?.delivery
  const { body, event, bodyVersion = null, webhook } = delivery ?? {}
  const sends = webhook ? (webhook.bodyVersion?.version ?? null) : undefined
  return (
    <>
      <Section
        title={t('Payload')}
        description={
          event && (
            <Anchor component={Link} to={`/events/${event.id}`} className="ph-mono" inherit>
              {event.id}
            </Anchor>
          )
        }
      >
        {error && !data && <QueryError error={error} reload={reload} />}
        {!data && !error && <Skeleton h={120} />}
        {data && body == null && <Text size="sm">{missingText(delivery)}</Text>}
        {body != null && (
          <>
            {(bodyVersion ?? sends) != null && (
              <Suspense>
                <SentVersion sent={bodyVersion} sends={sends} />
              </Suspense>
            )}
            <JsonView
              label={t('Body')}
              text={body}
              note="The exact body that is signed and sent."
            />
          </>
        )}
      </Section>
      {event && <WhatHasChanged {...event} />}
    </>
  )
}

function missingText(delivery: DeliveryBodyQuery['delivery'] | undefined): string {
  if (!delivery?.event) return t('The event is past its retention period.')
  if (delivery.payloadState === 'ERASED') return 'The payload was erased.'
  return delivery.payloadState === 'KEPT'
    ? t('The body is too large')
    : notKeptText(delivery.event.unkeptBytes)
}
