import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useClient } from 'urql'
import { type LiveState, useLive } from '../api/use-live.ts'
import {
  DeliveriesAttemptRecordedDocument,
  type DeliveriesAttemptRecordedSubscription,
  DeliveriesSinceDocument,
  type DeliveriesSinceQueryVariables,
  type DeliveryRowFragment,
} from '../generated/graphql.ts'

/** Attempts come by the thousand; the rows are painted this often. */
const PAINT_EVERY_MS = 250
/** How often the server is asked at most for what is new, when attempts are made, and when none are. */
const LOOK_AFTER_MS = 5_000
const LOOK_EVERY_MS = 15_000

type Change = Partial<DeliveryRowFragment>
type Attempt = NonNullable<DeliveriesAttemptRecordedSubscription['attemptRecorded']>

export interface NewerDeliveries {
  readonly count: number
  readonly isMore: boolean
}

const NONE: NewerDeliveries = { count: 0, isMore: false }

interface LiveDeliveriesOptions {
  readonly rows: readonly DeliveryRowFragment[] | undefined
  readonly filter?: DeliveriesSinceQueryVariables['filter']
  readonly withWebhook: boolean
  /** The cursor of the first row. */
  readonly before?: string | null | undefined
  /** Whether what is new would come above the rows: not on later pages. */
  readonly countNewer: boolean
}

/** Keeps the rows that are shown as they are now, in their places, and counts those that would come above them. */
export function useLiveDeliveries(options: LiveDeliveriesOptions): {
  rows: readonly DeliveryRowFragment[] | undefined
  newer: NewerDeliveries
  state: LiveState
} {
  const { rows, filter, withWebhook, before, countNewer } = options
  const client = useClient()
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map())
  const [newer, setNewer] = useState(NONE)
  const waiting = useRef(new Map<string, Change>())
  const lookDueAt = useRef(0)
  const shown = rows?.map(({ id }) => id) ?? []
  const key = JSON.stringify([filter, shown[0] ?? null, countNewer])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or filter is told of anew
  useEffect(() => {
    setNewer(NONE)
    lookDueAt.current = Date.now() + LOOK_AFTER_MS
  }, [key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was just read is newer than any change of before
  useEffect(() => {
    waiting.current.clear()
    setChanges(new Map())
  }, [rows])

  const look = useEffectEvent(async (asked: string) => {
    const { data } = await client
      .query(
        DeliveriesSinceDocument,
        { before: before ?? null, filter, shown, withWebhook, countNewer },
        { requestPolicy: 'network-only' },
      )
      .toPromise()
    if (!data || asked !== latestKey()) return
    if (data.newer) {
      setNewer({ count: data.newer.nodes.length, isMore: data.newer.pageInfo.hasPreviousPage })
    }
    for (const delivery of data.shown ?? []) {
      if (delivery && 'state' in delivery) waiting.current.set(delivery.id, delivery)
    }
  })
  const latestKey = useEffectEvent(() => key)

  const tick = useEffectEvent(() => {
    if (waiting.current.size > 0) {
      const more = waiting.current
      waiting.current = new Map()
      setChanges((current) => new Map([...current, ...merged(current, more)]))
    }
    if (!rows || document.hidden || Date.now() < lookDueAt.current) return
    lookDueAt.current = Date.now() + LOOK_EVERY_MS
    void look(key)
  })

  useEffect(() => {
    const timer = setInterval(() => tick(), PAINT_EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  const state = useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId: filter?.webhookId ?? null },
    {
      onData({ attemptRecorded }) {
        const delivery = attemptRecorded?.delivery
        if (!delivery) return
        lookDueAt.current = Math.min(lookDueAt.current, Date.now() + LOOK_AFTER_MS)
        if (shown.includes(delivery.id)) waiting.current.set(delivery.id, changeOf(attemptRecorded))
      },
      onReconnect() {
        lookDueAt.current = 0
      },
    },
  )

  return { rows: rows?.map((row) => ({ ...row, ...changes.get(row.id) })), newer, state }
}

function changeOf({ delivery, ...attempt }: Attempt): Change {
  return { ...delivery, attempts: { nodes: [attempt] } }
}

/** What waits, on top of what is known of the same deliveries. */
function merged(current: ReadonlyMap<string, Change>, more: ReadonlyMap<string, Change>) {
  return [...more].map(([id, change]) => [id, { ...current.get(id), ...change }] as const)
}
