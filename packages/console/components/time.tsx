import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import {
  formatAgo,
  formatDateTime,
  formatElapsed,
  formatRelative,
  formatUpcoming,
  formatUtc,
} from '../lib/format.ts'
import { useTimeZone } from '../lib/time-zone.ts'

interface TimeProps {
  readonly at: string
  /**
   * `relative`: "5 min ago", never in the future, though a live time can be newer than the clock of the page. `upcoming`: "in
   * 5 min" or "now", never in the past. `either`: before or after now. `elapsed`: "5 min". Default: the date and time in the
   * reader's zone.
   */
  readonly as?: 'relative' | 'upcoming' | 'either' | 'elapsed' | 'absolute'
}

/** A time in the zone of the reader's choice. Hovering shows the exact time in UTC. */
export function Time({ at, as = 'absolute' }: TimeProps) {
  const nowMs = useNow()
  useTimeZone()
  return (
    <Text
      component="time"
      inherit
      dateTime={new Date(at).toISOString()}
      title={as === 'absolute' ? formatUtc(at) : `${formatDateTime(at)} (${formatUtc(at)})`}
      style={{
        whiteSpace: 'nowrap',
        fontVariantNumeric: 'tabular-nums',
        position: 'relative',
        zIndex: 1,
      }}
    >
      {FORMATS[as](at, nowMs)}
    </Text>
  )
}

const FORMATS: Record<NonNullable<TimeProps['as']>, (at: string, nowMs: number) => string> = {
  relative: formatAgo,
  upcoming: formatUpcoming,
  either: formatRelative,
  elapsed: formatElapsed,
  absolute: formatDateTime,
}

/** The current time, updated every ten seconds. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
