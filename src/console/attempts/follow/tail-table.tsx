import './tail-table.css'
import { memo } from 'react'
import { Link } from 'react-router'
import { ResponseStatus } from '../../deliveries/list/delivery-columns.tsx'
import { whyFailed } from '../../deliveries/why-failed.ts'
import type { AttemptRowFragment } from '../../generated/graphql.ts'
import { dateLocale } from '../../language/language.ts'
import { t } from '../../language/t.ts'
import { formatDuration, formatUtc } from '../../lib/format.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { type Named, webhookName } from '../../webhooks/webhook-name.ts'

interface TailTableProps {
  readonly rows: readonly AttemptRowFragment[]
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
      aria-label={t('Attempts, the last to end first')}
      onPointerEnter={({ pointerType }) => setInteracting(pointerType === 'mouse')}
      onPointerLeave={() => setInteracting(false)}
      onFocus={() => setInteracting(true)}
      onBlur={() => setInteracting(false)}
    >
      <thead>
        <tr>
          <th scope="col">{t('Attempt')}</th>
          <th scope="col">{t('Webhook')}</th>
          <th scope="col">{t('Response')}</th>
          <th scope="col">{t('Duration')}</th>
          <th scope="col">{t('Ended')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} webhook={row.webhook ?? webhooks.get(row.webhookId)} />
        ))}
      </tbody>
    </table>
  )
})

const timeOfDay = new Intl.DateTimeFormat(dateLocale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  fractionalSecondDigits: 3,
})

const Row = memo(function Row({
  row,
  webhook,
}: {
  row: AttemptRowFragment
  webhook: Named | undefined
}) {
  const { id, recordedAt, succeeded, status, delivery, number, durationMs, webhookId } = row
  const why = whyFailed(row)?.sentence
  const name = webhook ? webhookName(webhook) : webhookId
  const attempt = t('{name}, attempt {number}', {
    name: delivery?.eventType.name ?? t('Past its retention period'),
    number,
  })
  return (
    <tr>
      <td>
        {delivery ? (
          <Link className="ph-row-link" to={`/deliveries/${delivery.id}?attempt=${id}`}>
            {attempt}
          </Link>
        ) : (
          attempt
        )}
        <span className="ph-tail-webhook">{name}</span>
      </td>
      <td title={webhook && maskUrl(webhook.url)}>{name}</td>
      <td title={why}>
        <ResponseStatus succeeded={succeeded} status={status} />{' '}
        <span className="ph-tail-why">{why}</span>
      </td>
      <td>{formatDuration(durationMs)}</td>
      <td>
        <time dateTime={recordedAt} title={formatUtc(recordedAt)}>
          {timeOfDay.format(new Date(recordedAt))}
        </time>
      </td>
    </tr>
  )
})
