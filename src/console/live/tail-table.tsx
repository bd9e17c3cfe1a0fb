import './tail-table.css'
import { memo } from 'react'
import { Link } from 'react-router'
import { whyFailed } from '../deliveries/why-failed.ts'
import { formatDuration, formatUtc } from '../lib/format.ts'
import { maskUrl } from '../lib/mask-url.ts'
import { type Named, webhookName } from '../webhooks/webhook-name.ts'
import type { TailAttempt } from './use-tail.ts'

interface TailTableProps {
  readonly rows: readonly TailAttempt[]
  /** Webhooks by id. */
  readonly webhooks: ReadonlyMap<string, Named>
  /** Reports whether the pointer or the keyboard focus is on a row. */
  setInteracting(interacting: boolean): void
}

/** A plain table, because it renders four times a second. */
export const TailTable = memo(function TailTable({
  rows,
  webhooks,
  setInteracting,
}: TailTableProps) {
  return (
    <table
      className="ph-tail"
      aria-label="Attempts, the last to end first"
      onPointerEnter={({ pointerType }) => setInteracting(pointerType === 'mouse')}
      onPointerLeave={() => setInteracting(false)}
      onFocus={() => setInteracting(true)}
      onBlur={() => setInteracting(false)}
    >
      <thead>
        <tr>
          <th scope="col">Ended</th>
          <th scope="col">Response</th>
          <th scope="col">Event type</th>
          <th scope="col">Webhook</th>
          <th scope="col">Attempt</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} webhook={webhooks.get(row.delivery?.webhookId ?? '')} />
        ))}
      </tbody>
    </table>
  )
})

const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  fractionalSecondDigits: 3,
})

const Row = memo(function Row({ row, webhook }: { row: TailAttempt; webhook: Named | undefined }) {
  const { id, recordedAt, succeeded, status, delivery, number, durationMs } = row
  const why = whyFailed(row)
  const name = webhook ? webhookName(webhook) : delivery?.webhookId
  return (
    <tr>
      <td>
        <time dateTime={recordedAt} title={formatUtc(recordedAt)}>
          {timeOfDay.format(new Date(recordedAt))}
        </time>
      </td>
      <td data-outcome={succeeded ? 'succeeded' : 'failed'} title={why?.sentence}>
        {status ?? 'No response'}
      </td>
      <td>
        {delivery ? (
          <Link to={`/deliveries/${delivery.id}?attempt=${id}`}>{delivery.eventType.name}</Link>
        ) : (
          'Past its retention period'
        )}
        <span className="ph-tail-webhook">{name}</span>
      </td>
      <td title={webhook && maskUrl(webhook.url)}>{name}</td>
      <td>{number}</td>
      <td>{formatDuration(durationMs)}</td>
    </tr>
  )
})
