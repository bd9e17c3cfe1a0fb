import { Stack } from '@mantine/core'
import { Time } from '../../components/time.tsx'
import type { WebhookState, WebhookTroubleFragment } from '../../generated/graphql.ts'
import { formatCount, formatPercent, plural } from '../../lib/format.ts'
import { BEHIND_CAUSES } from './behind-causes.ts'
import { LastFailure } from './last-failure.tsx'

/** The server stops counting here. */
const MAX_COUNTED = 10_000

/** Why a webhook is in trouble, since when, how many deliveries wait, and what happens next. */
export function TroubleText({ webhook }: { webhook: WebhookTroubleFragment }) {
  const { health, backlog, lastFailure } = webhook
  if (!health) return null
  const { state, nextProbeAt } = health
  const count = backlog?.count ?? 0
  return (
    <Stack gap={2}>
      {FAILING.includes(state) && <LastFailure attempt={lastFailure} />}
      <div>
        <Since health={health} />
        {state === 'BEHIND' && health.behindCause && `${BEHIND_CAUSES[health.behindCause].label}. `}
        {state === 'DEGRADED' && <FailedDeliveries health={health} />}
        {(state === 'ON_HOLD' || state === 'FAILING') && <FailedAttempts health={health} />}
        {(count > 0 || state === 'DISABLED') && <Waiting backlog={backlog} />}
        {state === 'ON_HOLD' && nextProbeAt && (
          <>
            {' '}
            Next probe <Time at={nextProbeAt} as="upcoming" />.
          </>
        )}
      </div>
    </Stack>
  )
}

/** In these states, the last error explains the state. */
const FAILING: readonly WebhookState[] = ['ON_HOLD', 'FAILING', 'DEGRADED']

type Health = NonNullable<WebhookTroubleFragment['health']>

const SINCE: Partial<Record<WebhookState, string>> = {
  ON_HOLD: 'On hold for',
  FAILING: 'Failing for',
  BEHIND: 'Behind for',
  DEGRADED: 'Degraded for',
}

function Since({ health: { state, since } }: { health: Health }) {
  const label = SINCE[state]
  if (!since || label === undefined) return null
  return (
    <>
      {label} <Time at={since} as="elapsed" />.{' '}
    </>
  )
}

function FailedAttempts({ health: { consecutiveFailures, lastSuccessAt } }: { health: Health }) {
  return (
    <>
      {consecutiveFailures > 0 &&
        `${formatCount(consecutiveFailures)} ${plural(consecutiveFailures, 'attempt', 'attempts')} in a row failed. `}
      {lastSuccessAt ? (
        <>
          Last success <Time at={lastSuccessAt} as="relative" />.
        </>
      ) : (
        'No attempt has succeeded yet.'
      )}{' '}
    </>
  )
}

function FailedDeliveries({ health: { failedDeliveries, failureRate } }: { health: Health }) {
  if (typeof failureRate !== 'number') return null
  return `In the last 15 minutes, the first attempt of ${formatCount(failedDeliveries)} ${plural(failedDeliveries, 'delivery', 'deliveries')} failed (${formatPercent(failureRate)}). `
}

function Waiting({ backlog }: Pick<WebhookTroubleFragment, 'backlog'>) {
  const count = backlog?.count ?? 0
  if (count === 0) return 'No delivery waits.'
  return (
    <>
      {count < MAX_COUNTED
        ? `${formatCount(count)} ${plural(count, 'delivery waits', 'deliveries wait')}`
        : '10,000 or more deliveries wait'}
      {backlog?.oldest && (
        <>
          , the oldest for <Time at={backlog.oldest.createdAt} as="elapsed" />
        </>
      )}
      .
    </>
  )
}
