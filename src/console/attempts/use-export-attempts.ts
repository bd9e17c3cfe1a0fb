import { useMemo } from 'react'
import { useClient } from 'urql'
import { dataOf, pageOf } from '../api/data-of.ts'
import type { ExportColumn } from '../exports/csv.ts'
import type { ExportSource } from '../exports/export-rows.ts'
import {
  type AttemptFilter,
  type AttemptRowFragment,
  AttemptsDocument,
} from '../generated/graphql.ts'
import { maskUrl } from '../lib/mask-url.ts'
import { useSession } from '../session/session.tsx'

const COLUMNS: readonly ExportColumn<AttemptRowFragment>[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'delivery_id', value: ({ delivery }) => delivery?.id },
  { name: 'event_type', value: ({ delivery }) => delivery?.eventType.name },
  { name: 'webhook_id', value: ({ webhookId }) => webhookId },
  { name: 'webhook_url', value: ({ webhook }) => webhook && maskUrl(webhook.url) },
  { name: 'number', value: ({ number }) => number },
  { name: 'started_at', value: ({ startedAt }) => startedAt },
  { name: 'duration_ms', value: ({ durationMs }) => durationMs },
  { name: 'succeeded', value: ({ succeeded }) => succeeded },
  { name: 'status', value: ({ status }) => status },
  { name: 'error', value: ({ errorCode }) => errorCode },
  { name: 'error_message', value: ({ error }) => error },
]

/** The API reads at most this many rows at a time. */
const PAGE = 100

/** Reads all attempts that match, for an export. */
export function useExportAttempts(filter: AttemptFilter): ExportSource<AttemptRowFragment> {
  const client = useClient()
  const withWebhook = useSession().can('webhooks:read')
  return useMemo(
    () => ({
      name: 'attempts',
      columns: COLUMNS,
      async load(after) {
        const variables = { first: PAGE, filter, withWebhook, ...(after !== null && { after }) }
        const result = await client
          .query(AttemptsDocument, variables, { requestPolicy: 'network-only' })
          .toPromise()
        return pageOf(dataOf(result).attempts)
      },
    }),
    [client, filter, withWebhook],
  )
}
