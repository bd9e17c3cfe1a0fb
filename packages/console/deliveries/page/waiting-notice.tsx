import { Notice } from '../../components/page/notice.tsx'
import { Time, useNow } from '../../components/time.tsx'
import type { DeliveryQuery } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { isFinished } from '../delivery-states.ts'
import { waitsFor } from '../waits-for.ts'

/** Shows why an unfinished delivery has not been sent yet, and when the next attempt is. */
export function WaitingNotice({ delivery }: { delivery: NonNullable<DeliveryQuery['delivery']> }) {
  const { state, nextAttemptAt, parkedAt } = delivery
  const isScheduled = Date.parse(nextAttemptAt ?? '') > useNow()
  const { what, why, probeAt } = waitsFor(delivery)
  if (isFinished(state)) return null
  return (
    <Notice
      color="blue"
      title={state === 'WAITING' ? what : isScheduled ? t('Next attempt') : t('Queued')}
    >
      {state === 'WAITING' ? (
        <>
          {why}
          {probeAt && (
            <div>
              Next probe: <Time at={probeAt} as="upcoming" />
            </div>
          )}
          {parkedAt && <div>{rich('Waiting since {time}', { time: <Time at={parkedAt} /> })}</div>}
        </>
      ) : nextAttemptAt && isScheduled ? (
        <>
          <Time at={nextAttemptAt} as="upcoming" />, <Time at={nextAttemptAt} />
        </>
      ) : (
        t('An attempt is running, or starts as soon as a worker is free.')
      )}
    </Notice>
  )
}
