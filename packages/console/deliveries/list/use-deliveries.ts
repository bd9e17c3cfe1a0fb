import { useThrottledCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useClient } from 'urql'
import { useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useRead } from '../../api/use-read.ts'
import type { Cursors } from '../../components/lists/use-cursors.ts'
import {
  DeliveriesAttemptRecordedDocument,
  DeliveriesDocument,
  DeliveriesSinceDocument,
  type DeliveriesSinceQuery,
  type DeliveryFilter,
} from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'

/** The intervals of updates: while attempts are made, and without any. */
const ACTIVE_MS = 2_000
const QUIET_MS = 15_000
/** Reloads also an empty list after a change of a delivery. */
const CONTEXT = { additionalTypenames: ['Delivery'] }

interface DeliveriesOptions {
  readonly filter: DeliveryFilter
  readonly page: Cursors['variables']
  /** Whether new deliveries would appear above the rows. False on later pages. */
  readonly countNewer: boolean
}

/** A page of deliveries. Its rows change in place; new deliveries are counted until the reader asks for them. */
export function useDeliveries({ filter, page, countNewer }: DeliveriesOptions) {
  const client = useClient()
  const withWebhook = useSession().can('webhooks:read')
  const { data, error, stale, reload } = useRead(
    DeliveriesDocument,
    { ...page, filter, withWebhook },
    { context: CONTEXT },
  )
  const loaded = data?.deliveries
  const [update, setUpdate] = useState<{ of: typeof loaded; since: DeliveriesSinceQuery }>()
  // Loaded rows are newer than an update of the rows before.
  const since = update && update.of === loaded ? update.since : null
  const changed = new Map(
    since?.shown?.flatMap((row) => (row && 'state' in row ? [[row.id, row]] : [])),
  )

  async function refresh() {
    if (!loaded) return
    const shown = loaded.nodes.map(({ id }) => id)
    const before = loaded.pageInfo.startCursor ?? null
    const result = await client
      .query(
        DeliveriesSinceDocument,
        { before, filter, shown, withWebhook, countNewer },
        { requestPolicy: 'network-only' },
      )
      .toPromise()
    if (result.data) setUpdate({ of: loaded, since: result.data })
  }

  const refreshSoon = useThrottledCallback(refresh, ACTIVE_MS)
  const webhookIds = [filter.webhookIds ?? []].flat().map(String)
  const state = useLive(
    DeliveriesAttemptRecordedDocument,
    { webhookId: webhookIds.length > 1 ? null : (webhookIds[0] ?? null) },
    { onData: refreshSoon, onMissed: refreshSoon },
  )
  // What waits makes no attempts.
  usePolling(QUIET_MS, refresh)

  return {
    rows: loaded?.nodes.map((row) => changed.get(row.id) ?? row),
    newer: {
      count: since?.newer?.nodes.length ?? 0,
      isMore: since?.newer?.pageInfo.hasPreviousPage ?? false,
    },
    state,
    info: loaded?.pageInfo,
    error,
    stale,
    reload,
  }
}
