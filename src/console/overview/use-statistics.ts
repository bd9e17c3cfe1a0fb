import { useEffect, useRef, useState } from 'react'
import { resumeAfterAttempt } from '../api/resume-point.ts'
import { useLive } from '../api/use-live.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import type { ChartRange } from '../components/charts/chart-range.ts'
import { OverviewAttemptRecordedDocument } from '../generated/graphql.ts'
import { comparedBoundsOf, statisticsQuery } from './overview-queries.ts'

const PAINT_EVERY_MS = 250
/** The minimum time between two requests, however many attempts are made. */
const REFRESH_AFTER_MS = 5_000

const NONE = { succeeded: 0, failed: 0 }

/** The statistics that the server counted, and the live attempts that they do not include yet. */
export function useStatistics(range: ChartRange) {
  const [bounds, setBounds] = useState(() => comparedBoundsOf(range, Date.now()))
  const [shownRange, setShownRange] = useState(range)
  if (shownRange !== range) {
    setShownRange(range)
    setBounds(comparedBoundsOf(range, Date.now()))
  }
  const { data, error, reload } = useRead(statisticsQuery.query, bounds, {
    context: statisticsQuery.context,
  })
  const [live, setLive] = useState(NONE)
  const counted = useRef({ ...NONE })
  const isStale = useRef(false)
  const requestedAt = useRef(Date.now())

  // `counted` is the attempts that the last answer does not include, `overlay` those that the next answer will include.
  const answered = data?.statistics
  const overlay = useRef(NONE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer
  useEffect(() => {
    const { succeeded, failed } = overlay.current
    counted.current.succeeded -= succeeded
    counted.current.failed -= failed
    overlay.current = NONE
    setLive({ ...counted.current })
  }, [answered])

  usePolling(PAINT_EVERY_MS, () => {
    setLive((current) =>
      current.succeeded === counted.current.succeeded && current.failed === counted.current.failed
        ? current
        : { ...counted.current },
    )
    const now = Date.now()
    const next = comparedBoundsOf(range, now)
    const moved = next.until !== bounds.until
    if (now - requestedAt.current < REFRESH_AFTER_MS || !(isStale.current || moved)) return
    isStale.current = false
    requestedAt.current = now
    overlay.current = { ...counted.current }
    if (moved) setBounds(next)
    else reload()
  })

  const state = useLive(
    OverviewAttemptRecordedDocument,
    {},
    {
      onData({ attemptRecorded }) {
        if (!attemptRecorded) return
        counted.current[attemptRecorded.succeeded ? 'succeeded' : 'failed']++
        isStale.current = true
      },
      itemOf: resumeAfterAttempt,
      onMissed() {
        isStale.current = true
      },
    },
  )
  // The first answer for another range includes every attempt.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each range
  useEffect(() => {
    counted.current = { ...NONE }
    overlay.current = NONE
  }, [range])

  return {
    buckets: answered,
    live,
    error,
    reload,
    state,
  }
}
