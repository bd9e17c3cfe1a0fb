import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLive } from '../api/use-live.ts'
import { useRead } from '../api/use-read.ts'
import { boundsOf, type ChartRange } from '../components/charts/chart-range.ts'
import { OverviewAttemptMadeDocument, OverviewStatisticsDocument } from '../generated/graphql.ts'

const PAINT_EVERY_MS = 250
/** The server is asked at most this often, however many attempts are made. */
const ASK_AFTER_MS = 5_000

const NONE = { succeeded: 0, failed: 0 }

/** The range and the one before it. */
const comparedBoundsOf = (range: ChartRange, nowMs: number) => boundsOf(range, nowMs, 2)

/** What attempts came to: as the server counts them, and those on top that were told of since. */
export function useStatistics(range: ChartRange) {
  const [bounds, setBounds] = useState(() => comparedBoundsOf(range, Date.now()))
  const [shownRange, setShownRange] = useState(range)
  if (shownRange !== range) {
    setShownRange(range)
    setBounds(comparedBoundsOf(range, Date.now()))
  }
  const { data, error, loading, stale, reload } = useRead(OverviewStatisticsDocument, bounds)
  const [since, setSince] = useState(NONE)
  const counted = useRef({ ...NONE })
  const isDue = useRef(false)
  const askedAt = useRef(Date.now())

  // What is counted is on top of the last answer. Asking anew begins a new count, which the answer then replaces.
  const answered = data?.statistics
  const overlay = useRef(NONE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer
  useEffect(() => {
    const { succeeded, failed } = overlay.current
    counted.current.succeeded -= succeeded
    counted.current.failed -= failed
    overlay.current = NONE
    setSince({ ...counted.current })
  }, [answered])

  const tick = useEffectEvent(() => {
    setSince((current) =>
      current.succeeded === counted.current.succeeded && current.failed === counted.current.failed
        ? current
        : { ...counted.current },
    )
    const now = Date.now()
    const next = comparedBoundsOf(range, now)
    const moved = next.until !== bounds.until
    if (document.hidden || now - askedAt.current < ASK_AFTER_MS || !(isDue.current || moved)) return
    isDue.current = false
    askedAt.current = now
    overlay.current = { ...counted.current }
    if (moved) setBounds(next)
    else reload()
  })
  useEffect(() => {
    const timer = setInterval(() => tick(), PAINT_EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  const state = useLive(
    OverviewAttemptMadeDocument,
    {},
    {
      onData({ attemptMade }) {
        if (!attemptMade) return
        counted.current[attemptMade.succeeded ? 'succeeded' : 'failed']++
        isDue.current = true
      },
      onReconnect() {
        isDue.current = true
      },
    },
  )
  // In the first answer to another range, everything is counted already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each range
  useEffect(() => {
    counted.current = { ...NONE }
    overlay.current = NONE
  }, [range])

  return { buckets: answered, since, error, loading, stale, reload, state }
}
