import { useEffect, useRef, useState } from 'react'
import { resumeAfterAttempt } from '../api/resume-point.ts'
import { useLive } from '../api/use-live.ts'
import { usePolling } from '../api/use-polling.ts'
import {
  LiveAttemptRecordedDocument,
  type LiveAttemptRecordedSubscription,
} from '../generated/graphql.ts'
import { createSampler } from './sampler.ts'

export type TailAttempt = NonNullable<LiveAttemptRecordedSubscription['attemptRecorded']>

/** Renders 20 rows four times a second: more than a reader follows, and little work for a browser. */
const PAINT_EVERY_MS = 250
const PER_PAINT = 20
export const ROWS_KEPT = 200

interface TailOptions {
  readonly webhookId: string | null
  readonly failedOnly: boolean
  /** Stops rendering. New attempts are counted, and the newest are buffered. */
  readonly frozen: boolean
}

/** The newest attempts, sampled if there are too many, and their rate. */
export function useTail({ webhookId, failedOnly, frozen }: TailOptions) {
  const [rows, setRows] = useState<readonly TailAttempt[]>([])
  const [rate, setRate] = useState({ received: 0, shown: 0 })
  const [waiting, setWaiting] = useState(0)
  const [missed, setMissed] = useState(false)
  const sampler = useRef(createSampler<TailAttempt>({ perPaint: PER_PAINT }))
  const unpainted = useRef<TailAttempt[]>([])
  const receivedWhileFrozen = useRef(0)
  const key = `${webhookId} ${failedOnly}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter starts an empty tail
  useEffect(() => {
    sampler.current = createSampler({ perPaint: PER_PAINT })
    unpainted.current = []
    receivedWhileFrozen.current = 0
    setRows([])
    setMissed(false)
  }, [key])

  usePolling(PAINT_EVERY_MS, () => {
    const now = Date.now()
    const waitingRows = [...sampler.current.take(), ...unpainted.current]
    unpainted.current = newestFirst(waitingRows).slice(0, ROWS_KEPT)
    const { received, shown } = sampler.current.rate(now)
    setRate((current) =>
      current.received === received && current.shown === shown ? current : { received, shown },
    )
    setWaiting(frozen ? receivedWhileFrozen.current : 0)
    if (frozen || unpainted.current.length === 0) return
    const added = unpainted.current
    unpainted.current = []
    receivedWhileFrozen.current = 0
    setRows((current) => newestFirst([...added, ...current]).slice(0, ROWS_KEPT))
  })

  const state = useLive(
    LiveAttemptRecordedDocument,
    { webhookId },
    {
      onData({ attemptRecorded }) {
        if (!attemptRecorded || (failedOnly && attemptRecorded.succeeded)) return
        if (frozen) receivedWhileFrozen.current++
        sampler.current.add(attemptRecorded, Date.now())
      },
      itemOf: resumeAfterAttempt,
      onMissed: () => setMissed(true),
    },
  )

  return { rows, rate, waiting, state, missed, dismissMissed: () => setMissed(false) }
}

/** In the order of their ends: several processes record at the same time, so attempts arrive almost in this order. */
function newestFirst(rows: TailAttempt[]): TailAttempt[] {
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1))
}
