import { Text, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatDateTime, formatRelative, formatUtc } from '../format.ts'
import { useTimeZone } from '../time-zone.ts'

interface TimeProps {
  readonly at: string
  /** `relative`: "5 min. ago". Default: the date and time in the reader's zone. */
  readonly as?: 'relative' | 'absolute'
}

/** A time in the zone of the reader's choice. Hovering or focusing shows the exact time in UTC. */
export function Time({ at, as = 'absolute' }: TimeProps) {
  const nowMs = useNow()
  useTimeZone()
  return (
    <Tooltip
      label={as === 'relative' ? `${formatDateTime(at)} (${formatUtc(at)})` : formatUtc(at)}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Text
        component="time"
        inherit
        dateTime={new Date(at).toISOString()}
        style={{
          whiteSpace: 'nowrap',
          fontVariantNumeric: 'tabular-nums',
          position: 'relative',
          zIndex: 1,
        }}
      >
        {as === 'relative' ? formatRelative(at, nowMs) : formatDateTime(at)}
      </Text>
    </Tooltip>
  )
}

const TICK_MS = 10_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** The current time, updated every ten seconds. All components share one timer. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const listen = () => setNowMs(Date.now())
    listeners.add(listen)
    timer ??= setInterval(() => {
      for (const each of listeners) each()
    }, TICK_MS)
    return () => {
      listeners.delete(listen)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [])
  return nowMs
}
