import { Alert, Anchor, Group, Loader, Text } from '@mantine/core'
import { useEffect } from 'react'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { resumeAfterAttempt } from '../../api/resume-point.ts'
import { useLive } from '../../api/use-live.ts'
import { useRead } from '../../api/use-read.ts'
import { Time } from '../../components/time.tsx'
import { AttemptBody } from '../../deliveries/attempt/attempt-body.tsx'
import { isFinished } from '../../deliveries/is-finished.ts'
import { formatDuration } from '../../format.ts'
import {
  DeliveriesAttemptRecordedDocument,
  WebhookTestProgressDocument,
  type WebhookTestProgressQuery,
} from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

/** Polls as well, because an attempt may end before the subscription begins. */
const POLL_EVERY_MS = 2_000

interface TestProgressProps {
  readonly webhookId: string
  readonly deliveryId: string
}

/** Follows a test delivery until it is finished. */
export function TestProgress({ webhookId, deliveryId }: TestProgressProps) {
  const { data, reload } = useRead(WebhookTestProgressDocument, { id: deliveryId })
  const delivery = data?.delivery?.id === deliveryId ? data.delivery : null
  const finished = delivery !== null && isFinished(delivery.state)
  useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId },
    {
      paused: finished,
      itemOf: resumeAfterAttempt,
      onData: ({ attemptRecorded }) => attemptRecorded?.delivery?.id === deliveryId && reload(),
    },
  )
  useEffect(() => {
    if (finished) return
    const timer = setInterval(reload, POLL_EVERY_MS)
    return () => clearInterval(timer)
  }, [finished, reload])

  const attempt = delivery?.attempts?.nodes[0]
  return (
    <Alert
      role="status"
      variant="light"
      color={delivery?.state === 'SUCCEEDED' ? 'green' : attempt ? 'orange' : 'blue'}
      title={titleOf(delivery)}
      mih={92}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" component="div">
          {attempt ? resultOf(attempt) : <Loader size="xs" type="dots" />}
          {!finished && delivery?.nextAttemptAt && attempt && (
            <>
              {' '}
              <Trans
                ns="webhooks"
                i18nKey="test.next"
                components={{ time: <Time at={delivery.nextAttemptAt} as="upcoming" /> }}
              />
            </>
          )}
        </Text>
        <Anchor component={Link} to={`/deliveries/${deliveryId}`} size="sm">
          {t('webhooks:test.show')}
        </Anchor>
      </Group>
      {attempt?.response && attempt.response.body !== '' && (
        <AttemptBody
          label={t('deliveries:attempts.responseBody')}
          body={attempt.response.body}
          encoding={attempt.response.bodyEncoding}
          truncated={attempt.response.bodyTruncated}
        />
      )}
    </Alert>
  )
}

type Delivery = NonNullable<WebhookTestProgressQuery['delivery']>
type Attempt = NonNullable<Delivery['attempts']>['nodes'][number]

function resultOf({ status, error, durationMs }: Attempt): string {
  const time = formatDuration(durationMs)
  if (status != null) return t('webhooks:test.response', { status, time })
  return t('webhooks:test.noResponse', { error, time })
}

function titleOf(delivery: Delivery | null): string {
  const number = delivery?.attempts?.nodes[0]?.number
  if (!delivery || number === undefined) return t('webhooks:test.sending')
  if (delivery.state === 'SUCCEEDED') return t('webhooks:test.delivered')
  if (!isFinished(delivery.state)) return t('webhooks:test.attemptFailed', { number })
  return t(delivery.state === 'CANCELED' ? 'webhooks:test.canceled' : 'webhooks:test.exhausted')
}
