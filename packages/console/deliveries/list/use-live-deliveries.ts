import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useClient } from 'urql'
import { type LiveState, useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import {
  DeliveriesAttemptRecordedDocument,
  type DeliveriesAttemptRecordedSubscription,
  DeliveriesSinceDocument,
  type DeliveriesSinceQueryVariables,
  type DeliveryRowFragment,
} from '../../generated/graphql.ts'

/** Thousands of attempts can arrive in a second; rows render at this interval. */
const PAINT_EVERY_MS = 250
/** The intervals of requests for new deliveries: after attempts, and without any. */
const REFRESH_AFTER_MS = 5_000
const REFRESH_EVERY_MS = 15_000

type Change = Partial<DeliveryRowFragment>
type Attempt = NonNullable<DeliveriesAttemptRecordedSubscription['attemptRecorded']>

interface NewerDeliveries {
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
  /** Whether new deliveries would appear above the rows. False on later pages. */
  readonly countNewer: boolean
}

/** Updates the shown rows in place, and counts the new deliveries that belong above them. */
export function useLiveDeliveries(options: LiveDeliveriesOptions): {
  rows: readonly DeliveryRowFragment[] | undefined
  newer: NewerDeliveries
  state: LiveState
} {
  const { rows, filter, withWebhook, before, countNewer } = options
  const client = useClient()
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map())
  const [newer, setNewer] = useState(NONE)
  const pending = useRef(new Map<string, Change>())
  const refreshAt = useRef(0)
  const shown = rows?.map(({ id }) => id) ?? []
  const key = JSON.stringify([filter, shown[0] ?? null, countNewer])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or filter has its own count
  useEffect(() => {
    setNewer(NONE)
    refreshAt.current = Date.now() + REFRESH_AFTER_MS
  }, [key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded rows are newer than any change received before
  useEffect(() => {
    pending.current.clear()
    setChanges(new Map())
  }, [rows])

  const refresh = useEffectEvent(async (requestedKey: string) => {
    const { data } = await client
      .query(
        DeliveriesSinceDocument,
        { before: before ?? null, filter, shown, withWebhook, countNewer },
        { requestPolicy: 'network-only' },
      )
      .toPromise()
    if (!data || requestedKey !== latestKey()) return
    if (data.newer) {
      setNewer({ count: data.newer.nodes.length, isMore: data.newer.pageInfo.hasPreviousPage })
    }
    for (const delivery of data.shown ?? []) {
      if (delivery && 'state' in delivery) pending.current.set(delivery.id, delivery)
    }
  })
  const latestKey = useEffectEvent(() => key)

  usePolling(PAINT_EVERY_MS, () => {
    if (pending.current.size > 0) {
      const more = pending.current
      pending.current = new Map()
      setChanges((current) => new Map([...current, ...merged(current, more)]))
    }
    if (!rows || Date.now() < refreshAt.current) return
    refreshAt.current = Date.now() + REFRESH_EVERY_MS
    void refresh(key)
  })

  const [webhookId, ...others] = [filter?.webhookIds ?? []].flat()
  const state = useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId: others.length > 0 ? null : (webhookId ?? null) },
    {
      onData({ attemptRecorded }) {
        const delivery = attemptRecorded?.delivery
        if (!delivery) return
        refreshAt.current = Math.min(refreshAt.current, Date.now() + REFRESH_AFTER_MS)
        if (shown.includes(delivery.id)) pending.current.set(delivery.id, changeOf(attemptRecorded))
      },
      onMissed() {
        refreshAt.current = 0
      },
    },
  )

  return { rows: rows?.map((row) => ({ ...row, ...changes.get(row.id) })), newer, state }
}

function changeOf({ delivery, ...attempt }: Attempt): Change {
  return { ...delivery, attempts: { nodes: [attempt] } }
}

/** The pending changes, each merged into the known change of the same delivery. */
function merged(current: ReadonlyMap<string, Change>, more: ReadonlyMap<string, Change>) {
  return [...more].map(([id, change]) => [id, { ...current.get(id), ...change }] as const)
}
