import { Alert, Anchor, Group, Loader, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useRead } from '../../api/use-read.ts'
import { Time } from '../../components/time.tsx'
import { AttemptBody } from '../../deliveries/attempt/attempt-body.tsx'
import { isFinished } from '../../deliveries/delivery-states.ts'
import {
  DeliveriesAttemptRecordedDocument,
  WebhookTestProgressDocument,
  type WebhookTestProgressQuery,
} from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'

/** Polls as well, because an attempt may end before the subscription begins. */
const POLL_EVERY_MS = 2_000

/** Follows a test delivery until it is finished. */
export function TestProgress({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const { data, reload } = useRead(WebhookTestProgressDocument, { id: deliveryId })
  const delivery = data?.delivery?.id === deliveryId ? data.delivery : null
  const finished = delivery !== null && isFinished(delivery.state)
  useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    {
      paused: finished,
      onData: ({ attemptRecorded }) => attemptRecorded?.delivery?.id === deliveryId && reload(),
    },
  )
  usePolling(finished ? null : POLL_EVERY_MS, reload)

  const attempt = delivery?.attempts?.nodes[0]
  const box = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each attempt
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [attempt?.number])
  return (
    <Alert
      ref={box}
      role="status"
      variant="light"
      color={delivery?.state === 'SUCCEEDED' ? 'green' : attempt ? 'orange' : 'blue'}
      title={titleOf(delivery)}
      mih={92}
      style={{ scrollMarginBlock: 72 }}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" component="div">
          {attempt ? resultOf(attempt) : <Loader size="xs" type="dots" />}
          {!finished && delivery?.nextAttemptAt && attempt && (
            <>
              {' '}
              {rich('Next attempt: {time}', {
                time: <Time at={delivery.nextAttemptAt} as="upcoming" />,
              })}
            </>
          )}
        </Text>
        <Anchor component={Link} to={`/deliveries/${deliveryId}`} size="sm">
          {t('Show delivery')}
        </Anchor>
      </Group>
      {attempt?.response && attempt.response.body !== '' && (
        <AttemptBody label={t('Response body')} response={attempt.response} />
      )}
    </Alert>
  )
}

type Delivery = NonNullable<WebhookTestProgressQuery['delivery']>
type Attempt = NonNullable<Delivery['attempts']>['nodes'][number]

function resultOf(attempt: Attempt): string {
  const { status, durationMs } = attempt
  const time = formatDuration(durationMs)
  if (status != null) return `Response ${status} after ${time}.`
  return `${attempt.meaning} The attempt took ${time}.`
}

function titleOf(delivery: Delivery | null): string {
  const number = delivery?.attempts?.nodes[0]?.number
  if (!delivery || number === undefined) return t('Sending')
  if (delivery.state === 'SUCCEEDED') return t('Delivered')
  if (!isFinished(delivery.state)) return `Attempt ${number} failed; a retry follows`
  return delivery.state === 'CANCELED' ? t('Canceled') : t('Failed: no attempts left')
}
