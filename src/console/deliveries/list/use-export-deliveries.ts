import { useMemo } from 'react'
import { useClient } from 'urql'
import { dataOf, pageOf } from '../../api/data-of.ts'
import type { ExportColumn } from '../../exports/csv.ts'
import type { ExportSource } from '../../exports/export-rows.ts'
import {
  DeliveryExportByIdsDocument,
  DeliveryExportDocument,
  type DeliveryExportRowFragment,
} from '../../generated/graphql.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { useSession } from '../../session/session.tsx'
import type { TaskTarget } from '../../tasks/task-target.ts'

type Row = DeliveryExportRowFragment

const last = ({ attempts }: Row) => attempts?.nodes[0]

const COLUMNS: readonly ExportColumn<Row>[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'state', value: ({ state }) => state },
  { name: 'event_type', value: ({ eventType }) => eventType.name },
  { name: 'test', value: ({ isTest }) => isTest },
  { name: 'webhook_id', value: ({ webhookId }) => webhookId },
  { name: 'webhook_url', value: ({ webhook }) => webhook && maskUrl(webhook.url) },
  { name: 'attempts', value: ({ attemptCount }) => attemptCount },
  { name: 'last_attempt_at', value: (row) => last(row)?.startedAt },
  { name: 'last_status', value: (row) => last(row)?.status },
  { name: 'last_error', value: (row) => last(row)?.errorCode },
  { name: 'last_duration_ms', value: (row) => last(row)?.durationMs },
  { name: 'created_at', value: ({ createdAt }) => createdAt },
  { name: 'finished_at', value: ({ finishedAt }) => finishedAt },
  { name: 'next_attempt_at', value: ({ nextAttemptAt }) => nextAttemptAt },
]

/** The API reads at most this many rows at a time. */
const PAGE = 100

/** Reads the selected deliveries, or all that match, for an export. */
export function useExportDeliveries(target: TaskTarget): ExportSource<Row> {
  const client = useClient()
  const withWebhook = useSession().can('webhooks:read')
  return useMemo(() => {
    const fresh = { requestPolicy: 'network-only' } as const

    async function ofFilter(filter: object, after: string | null) {
      const result = await client
        .query(DeliveryExportDocument, { filter, after, withWebhook }, fresh)
        .toPromise()
      return pageOf(dataOf(result).deliveries)
    }

    async function ofIds(all: readonly string[], after: string | null) {
      const end = Number(after ?? 0) + PAGE
      const ids = all.slice(end - PAGE, end)
      const result = await client
        .query(DeliveryExportByIdsDocument, { ids, withWebhook }, fresh)
        .toPromise()
      const rows = (dataOf(result).nodes ?? []).filter(isDelivery)
      return { rows, next: end < all.length ? String(end) : null }
    }

    return {
      name: 'deliveries',
      columns: COLUMNS,
      load: (after) =>
        'ids' in target ? ofIds(target.ids, after) : ofFilter(target.filter, after),
    }
  }, [client, withWebhook, target])
}

function isDelivery(node: object | null | undefined): node is Row {
  return node != null && 'attemptCount' in node
}
