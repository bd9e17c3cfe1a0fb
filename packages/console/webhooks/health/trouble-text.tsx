import { Stack } from '@mantine/core'
import { Time } from '../../components/time.tsx'
import type { WebhookState, WebhookTroubleFragment } from '../../generated/graphql.ts'
import { key, rich, t } from '../../language/t.ts'
import { counted, formatPercent } from '../../lib/format.ts'
import { BEHIND_CAUSES } from './behind-causes.ts'
import { LastFailure } from './last-failure.tsx'

/** The server stops counting here. */
export const MAX_COUNTED = 10_000

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
          <> {rich('Next probe {time}.', { time: <Time at={nextProbeAt} as="upcoming" /> })}</>
        )}
      </div>
    </Stack>
  )
}

/** In these states, the last error explains the state. */
const FAILING: readonly WebhookState[] = ['ON_HOLD', 'FAILING', 'DEGRADED']

type Health = NonNullable<WebhookTroubleFragment['health']>

const SINCE: Partial<Record<WebhookState, string>> = {
  ON_HOLD: key('On hold for {time}.'),
  FAILING: key('Failing for {time}.'),
  BEHIND: key('Behind for {time}.'),
  DEGRADED: key('Degraded for {time}.'),
}

function Since({ health: { state, since } }: { health: Health }) {
  const text = SINCE[state]
  if (!since || text === undefined) return null
  return <>{rich(text, { time: <Time at={since} as="elapsed" /> })} </>
}

function FailedAttempts({ health: { consecutiveFailures, lastSuccessAt } }: { health: Health }) {
  return (
    <>
      {consecutiveFailures > 0 &&
        t('{count, plural, one {# attempt} other {# attempts}} in a row failed.', {
          count: consecutiveFailures,
        })}{' '}
      {lastSuccessAt
        ? rich('Last success {time}.', { time: <Time at={lastSuccessAt} as="relative" /> })
        : t('No attempt has succeeded yet.')}{' '}
    </>
  )
}

function FailedDeliveries({ health: { failedDeliveries, failureRate } }: { health: Health }) {
  if (typeof failureRate !== 'number') return null
  const text = `In the last 15 minutes, the first attempt of ${counted(failedDeliveries, 'delivery', 'deliveries')} failed (${formatPercent(failureRate)}).`
  return `${text} `
}

function Waiting({ backlog }: Pick<WebhookTroubleFragment, 'backlog'>) {
  const count = backlog?.count ?? 0
  if (count === 0) return t('No delivery waits.')
  const waiting =
    count < MAX_COUNTED
      ? t('{count, plural, one {# delivery waits} other {# deliveries wait}}', { count })
      : t('10,000 or more deliveries wait')
  if (!backlog?.oldest) return t('{waiting}.', { waiting })
  const time = <Time at={backlog.oldest.createdAt} as="elapsed" />
  return rich('{waiting}, the oldest for {time}.', { waiting, time })
}
