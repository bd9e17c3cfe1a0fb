import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLive } from '../api/use-live.ts'
import {
  LiveAttemptRecordedDocument,
  type LiveAttemptRecordedSubscription,
} from '../generated/graphql.ts'
import { createSampler } from './sampler.ts'

export type TailAttempt = NonNullable<LiveAttemptRecordedSubscription['attemptRecorded']>

/** Four paintings a second, of 20 rows: more than anybody reads, and less than any browser minds. */
export const PAINT_EVERY_MS = 250
const PER_PAINT = 20
export const ROWS_KEPT = 200

interface TailOptions {
  readonly webhookId: string | null
  readonly failedOnly: boolean
  /** Nothing is painted; what comes meanwhile is counted, and the newest of it waits. */
  readonly resting: boolean
}

/** The newest attempts, sampled when there are too many, and how many there are. */
export function useTail({ webhookId, failedOnly, resting }: TailOptions) {
  const [rows, setRows] = useState<readonly TailAttempt[]>([])
  const [rate, setRate] = useState({ came: 0, shown: 0 })
  const [waiting, setWaiting] = useState(0)
  const [missed, setMissed] = useState(false)
  const sampler = useRef(createSampler<TailAttempt>({ perPaint: PER_PAINT }))
  const unpainted = useRef<TailAttempt[]>([])
  const cameResting = useRef(0)
  const key = `${webhookId} ${failedOnly}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    sampler.current = createSampler({ perPaint: PER_PAINT })
    unpainted.current = []
    cameResting.current = 0
    setRows([])
    setMissed(false)
  }, [key])

  const paint = useEffectEvent(() => {
    const now = Date.now()
    unpainted.current = [...sampler.current.take(), ...unpainted.current].slice(0, ROWS_KEPT)
    const { came, shown } = sampler.current.rate(now)
    setRate((current) =>
      current.came === came && current.shown === shown ? current : { came, shown },
    )
    setWaiting(resting ? cameResting.current : 0)
    if (resting || unpainted.current.length === 0) return
    const fresh = unpainted.current
    unpainted.current = []
    cameResting.current = 0
    setRows((current) => [...fresh, ...current].slice(0, ROWS_KEPT))
  })
  useEffect(() => {
    const timer = setInterval(() => paint(), PAINT_EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  const state = useLive(
    LiveAttemptRecordedDocument,
    { webhookId },
    {
      onData({ attemptRecorded }) {
        if (!attemptRecorded || (failedOnly && attemptRecorded.succeeded)) return
        if (resting) cameResting.current++
        sampler.current.add(attemptRecorded, Date.now())
      },
      onReconnect: () => setMissed(true),
    },
  )

  return { rows, rate, waiting, state, missed, forgetMissed: () => setMissed(false) }
}
