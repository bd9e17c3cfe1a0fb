import { useEffect, useMemo, useRef, useState } from 'react'
import { resumeAfterAttempt } from '../../api/resume-point.ts'
import { useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import {
  type AttemptFilter,
  type AttemptRowFragment,
  AttemptsRecordedDocument,
} from '../../generated/graphql.ts'
import { matchesFilter } from './matches-filter.ts'
import { createSampler } from './sampler.ts'

/** Renders 20 rows four times a second: more than a reader follows, and little work for a browser. */
const PAINT_EVERY_MS = 250
const PER_PAINT = 20
export const ROWS_KEPT = 200

interface TailOptions {
  readonly filter: AttemptFilter
  /** The rows of the list. */
  readonly earlier: readonly AttemptRowFragment[] | undefined
  /** Stops rendering. New attempts are counted, and the newest are buffered. */
  readonly frozen: boolean
}

/** The newest attempts that match, sampled if there are too many, and their rate. */
export function useTail({ filter, earlier = [], frozen }: TailOptions) {
  const [added, setAdded] = useState<readonly AttemptRowFragment[]>([])
  const [rate, setRate] = useState({ received: 0, shown: 0 })
  const [waiting, setWaiting] = useState(0)
  const [missed, setMissed] = useState(false)
  const sampler = useRef(createSampler<AttemptRowFragment>({ perPaint: PER_PAINT }))
  const unpainted = useRef<AttemptRowFragment[]>([])
  const receivedWhileFrozen = useRef(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter starts an empty tail
  useEffect(() => {
    sampler.current = createSampler({ perPaint: PER_PAINT })
    unpainted.current = []
    receivedWhileFrozen.current = 0
    setAdded([])
    setMissed(false)
  }, [JSON.stringify(filter)])

  usePolling(PAINT_EVERY_MS, () => {
    const now = Date.now()
    unpainted.current = newestFirst([...sampler.current.take(), ...unpainted.current])
    const { received, shown } = sampler.current.rate(now)
    setRate((current) =>
      current.received === received && current.shown === shown ? current : { received, shown },
    )
    setWaiting(frozen ? receivedWhileFrozen.current : 0)
    if (frozen || unpainted.current.length === 0) return
    const more = unpainted.current
    unpainted.current = []
    receivedWhileFrozen.current = 0
    setAdded((current) => newestFirst([...more, ...current]))
  })

  const [webhookId, ...others] = filter.webhookIds ?? []
  const state = useLive(
    AttemptsRecordedDocument,
    { webhookId: others.length > 0 ? null : (webhookId ?? null), withWebhook: false },
    {
      onData({ attemptRecorded }) {
        if (!attemptRecorded || !matchesFilter(attemptRecorded, filter)) return
        if (frozen) receivedWhileFrozen.current++
        sampler.current.add(attemptRecorded, Date.now())
      },
      itemOf: resumeAfterAttempt,
      onMissed: () => setMissed(true),
    },
  )

  const rows = useMemo(() => newestFirst([...added, ...earlier]), [added, earlier])
  return { rows, rate, waiting, state, missed, dismissMissed: () => setMissed(false) }
}

/** In the order of their ends: several processes record at the same time, so attempts arrive almost in this order. */
function newestFirst(rows: readonly AttemptRowFragment[]): AttemptRowFragment[] {
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()]
  return distinct.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, ROWS_KEPT)
}
