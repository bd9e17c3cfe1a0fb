import { Anchor, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Notice } from '../../components/page/notice.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { counted, formatCount, formatPercent, plural } from '../../lib/format.ts'
import { BEHIND_CAUSES, causeOf } from './cause.ts'
import { Remedy } from './remedy.tsx'

interface TroubleNoticeProps {
  readonly webhook: WebhookTroubleFragment
  /** Who acknowledged the incident. */
  readonly children?: ReactNode
  /** A further button. */
  readonly action?: ReactNode
}

/** Says why a webhook is in trouble, since when, and what to do. Empty for the others. */
export function TroubleNotice({ webhook, children, action }: TroubleNoticeProps) {
  const { health, lastFailure } = webhook
  if (!health || health.state === 'HEALTHY' || health.state === 'NO_DELIVERIES') return null
  const { state, since, nextProbeAt, consecutiveFailures, failureRate } = health
  const { color, title, hint } = TROUBLE[state]
  const cause = causeOf(webhook)
  return (
    <Notice
      color={color}
      title={title}
      action={
        <Group gap={8}>
          <Remedy webhook={webhook} />
          {action}
        </Group>
      }
    >
      {cause && (
        <div>
          <strong>{cause}</strong>
          {state !== 'BEHIND' && lastFailure && (
            <>
              , <Time at={lastFailure.startedAt} as="relative" />.{' '}
              {lastFailure.delivery && (
                <Anchor
                  component={Link}
                  to={`/deliveries/${lastFailure.delivery.id}?attempt=${lastFailure.id}`}
                  inherit
                  underline="always"
                >
                  {t('Show attempt')}
                </Anchor>
              )}
            </>
          )}
        </div>
      )}
      <div>
        {since && rich('In this state for {time}.', { time: <Time at={since} as="elapsed" /> })}{' '}
        {(state === 'ON_HOLD' || state === 'FAILING') &&
          consecutiveFailures > 0 &&
          plural(
            consecutiveFailures,
            t('The last attempt failed.'),
            t('The last {count} attempts failed.', { count: formatCount(consecutiveFailures) }),
          )}{' '}
        {state === 'DEGRADED' &&
          typeof failureRate === 'number' &&
          `In the last 15 minutes, the first attempt of ${counted(health.failedDeliveries, 'delivery', 'deliveries')} failed (${formatPercent(failureRate)}).`}
        {state === 'ON_HOLD' &&
          nextProbeAt &&
          rich('Next probe {time}.', { time: <Time at={nextProbeAt} as="upcoming" /> })}
      </div>
      {state === 'BEHIND' && health.behindCause ? BEHIND_CAUSES[health.behindCause].hint : hint}
      {state === 'ON_HOLD' &&
        health.onHoldReason === 'RETRY_AFTER' &&
        ' The endpoint asked to wait: it answered 429 or 503 with Retry-After.'}
      {children && <div>{children}</div>}
    </Notice>
  )
}

const TROUBLE = {
  ON_HOLD: {
    color: 'red',
    title: t('On hold'),
    hint: t('Deliveries wait and use no attempts. The first successful probe ends the hold.'),
  },
  FAILING: {
    color: 'orange',
    title: t('Failing'),
    hint: t(
      'Posthorn retries failed deliveries by the retry schedule. Once an attempt succeeds, you can recover the deliveries that were exhausted.',
    ),
  },
  BEHIND: {
    color: 'violet',
    title: t('Behind'),
    hint: t('Posthorn sends the waiting deliveries as soon as it may.'),
  },
  DEGRADED: {
    color: 'yellow',
    title: t('Degraded'),
    hint: 'Posthorn retries failed deliveries by the retry schedule. The response of a failed attempt often says why.',
  },
  DISABLED: {
    color: 'gray',
    title: t('Disabled'),
    hint: t(
      'Unfinished deliveries wait, and new events create no deliveries. Once the webhook is enabled, you can recover the events that the webhook missed.',
    ),
  },
} as const
