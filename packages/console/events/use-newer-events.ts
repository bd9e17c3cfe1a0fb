import { useEffect, useEffectEvent, useState } from 'react'
import { useClient } from 'urql'
import { usePolling } from '../api/use-polling.ts'
import { type EventFilter, EventsNewerDocument } from '../generated/graphql.ts'

const REFRESH_EVERY_MS = 5_000
const NONE = { count: 0, isMore: false }

/**
 * Counts the new events that belong above the list. No live event reports a published event, so this polls every few
 * seconds.
 */
export function useNewerEvents(
  firstId: string | null | undefined,
  before: string | null | undefined,
  filter: EventFilter,
  paused: boolean,
) {
  const client = useClient()
  const [newer, setNewer] = useState(NONE)
  const key = JSON.stringify([firstId, before, filter])
  const latestKey = useEffectEvent(() => key)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or filter has its own count
  useEffect(() => setNewer(NONE), [key])

  usePolling(paused ? null : REFRESH_EVERY_MS, async () => {
    if (firstId === undefined) return
    const { data } = await client
      .query(
        EventsNewerDocument,
        { before: before ?? null, filter },
        { requestPolicy: 'network-only' },
      )
      .toPromise()
    if (!data?.events || key !== latestKey()) return
    setNewer({ count: data.events.nodes.length, isMore: data.events.pageInfo.hasPreviousPage })
  })

  return newer
}
