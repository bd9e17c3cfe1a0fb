import { Alert } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { Time, useNow } from '../components/time.tsx'
import type { DeliveryQuery } from '../generated/graphql.ts'
import { Countdown } from './countdown.tsx'
import { whyWaiting } from './why-waiting.ts'

interface WaitingNoticeProps {
  readonly delivery: NonNullable<DeliveryQuery['delivery']>
}

/** Shows why an unfinished delivery has not been sent yet, and when the next attempt is. */
export function WaitingNotice({ delivery }: WaitingNoticeProps) {
  const why = whyWaiting(delivery, useNow())
  if (!why) return null
  const { parkedAt } = delivery
  return (
    <Alert color="blue" variant="light" icon={<IconClock size={18} />} title={why.title}>
      {why.sentence}
      {why.nextAt && (
        <div>
          {why.nextLabel}: <Countdown to={why.nextAt} />, at <Time at={why.nextAt} />
        </div>
      )}
      {parkedAt && (
        <div>
          Waiting since <Time at={parkedAt} />
        </div>
      )}
    </Alert>
  )
}
