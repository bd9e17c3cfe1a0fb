import { Alert, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useState } from 'react'
import { usePolling } from '../../api/use-polling.ts'
import { Time, useNow } from '../../components/time.tsx'
import type { DeliveryQuery } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { whyWaiting } from './why-waiting.ts'

/** Shows why an unfinished delivery has not been sent yet, and when the next attempt is. */
export function WaitingNotice({ delivery }: { delivery: NonNullable<DeliveryQuery['delivery']> }) {
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
      {parkedAt && <div>{rich('Waiting since {time}', { time: <Time at={parkedAt} /> })}</div>}
    </Alert>
  )
}

/** The time until `to`, updated every second. */
function Countdown({ to }: { to: string }) {
  const [nowMs, setNowMs] = useState(Date.now)
  usePolling(1_000, () => setNowMs(Date.now()))
  return (
    <Text span inherit role="timer" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {remaining(Date.parse(to) - nowMs)}
    </Text>
  )
}

/** `in 4 s`, `in 12:05`, `in 3:20:00 hours` */
function remaining(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return t('now')
  if (seconds < 60) return `in ${seconds} s`
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  return hours === 0
    ? `in ${minutes}:${two(rest)}`
    : `in ${hours}:${two(minutes)}:${two(rest)} hours`
}
