import { useEffect, useEffectEvent, useState } from 'react'
import { useClient } from 'urql'
import {
  DeliveriesByEventSinceDocument,
  type DeliveriesByEventSinceQuery,
  type DeliveriesByEventSinceQueryVariables,
} from '../../generated/graphql.ts'
import { useActivity } from '../../webhooks/health/use-health-changes.ts'
import type { FoldedRow } from './folded-columns.tsx'

const NONE = { count: 0, isMore: false }

interface LiveEventsOptions {
  readonly rows: readonly FoldedRow[] | undefined
  readonly filter: DeliveriesByEventSinceQueryVariables['filter']
  /** The cursor of the first row. */
  readonly before: string | null | undefined
  /** Whether new events would appear above the rows. */
  readonly countNewer: boolean
}

/** Updates the counts of the shown events in place, and counts the new events that belong above them. */
export function useLiveEvents({ rows, filter, before, countNewer }: LiveEventsOptions) {
  const client = useClient()
  const [changes, setChanges] = useState<ReadonlyMap<string, FoldedRow>>(new Map())
  const [newer, setNewer] = useState(NONE)
  /** How often the rows were updated. */
  const [round, setRound] = useState(0)
  const shown = rows?.map(({ id }) => id) ?? []
  const key = JSON.stringify([filter, shown, countNewer])
  const latestKey = useEffectEvent(() => key)

  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded rows are newer than any change received before
  useEffect(() => {
    setChanges(new Map())
    setNewer(NONE)
  }, [rows])

  const state = useActivity(null, async () => {
    if (!rows) return
    const { data } = await client
      .query(
        DeliveriesByEventSinceDocument,
        { before: before ?? null, filter, shown, countNewer },
        { requestPolicy: 'network-only' },
      )
      .toPromise()
    if (!data || key !== latestKey()) return
    if (data.newer) {
      setNewer({ count: data.newer.nodes.length, isMore: data.newer.pageInfo.hasPreviousPage })
    }
    const found = (data.shown ?? []).filter(isRow)
    setChanges(new Map(found.map((row) => [row.id, row])))
    setRound((number) => number + 1)
  })

  return { rows: rows?.map((row) => changes.get(row.id) ?? row), newer, round, state }
}

type Node = NonNullable<DeliveriesByEventSinceQuery['shown']>[number]

const isRow = (node: Node): node is FoldedRow => node !== null && 'createdAt' in node
