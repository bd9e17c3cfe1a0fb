import { Stack } from '@mantine/core'
import { Time } from '../../components/time.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { LastFailure } from './last-failure.tsx'

/** The server stops counting here. */
export const MAX_COUNTED = 10_000

/** Why a webhook is on hold, failing or disabled, how many deliveries wait, and what happens next. */
export function TroubleText({ webhook }: { webhook: WebhookTroubleFragment }) {
  const { health, backlog, lastFailure } = webhook
  if (!health) return null
  const isOnHold = health.state === 'ON_HOLD'
  const count = backlog?.count ?? 0
  const since = isOnHold ? health.onHoldSince : health.failingSince
  return (
    <Stack gap={2}>
      {health.state !== 'DISABLED' && <LastFailure attempt={lastFailure} />}
      <div>
        {since && (
          <>
            {isOnHold ? 'On hold for' : 'Failing for'} <Time at={since} as="elapsed" />.{' '}
            {`${formatCount(health.consecutiveFailures)} ${plural(health.consecutiveFailures, 'attempt', 'attempts')} in a row failed.`}{' '}
            {health.lastSuccessAt ? (
              <>
                Last success <Time at={health.lastSuccessAt} as="relative" />.
              </>
            ) : (
              'No attempt has succeeded yet.'
            )}{' '}
          </>
        )}
        {(count > 0 || !since) && <Waiting backlog={backlog} />}
        {isOnHold && health.nextProbeAt && (
          <>
            {' '}
            Next probe <Time at={health.nextProbeAt} as="upcoming" />.
          </>
        )}
      </div>
    </Stack>
  )
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
