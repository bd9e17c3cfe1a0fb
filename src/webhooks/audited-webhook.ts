import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { settingsIn } from '../lib/setting.ts'
import { MASK, readHeaders } from './encrypted-headers.ts'
import { WEBHOOK_SETTINGS } from './webhook-settings.ts'

/**
 * The fields of a webhook that a caller can set, for the audit log. The values of headers, which can be credentials, are
 * masked: they only show whether they differ from those that the webhook had `before`.
 */
export function auditedWebhook(keyring: Keyring, row: WebhookRow, before = row) {
  const [headers, old] = [row, before].map(({ headersCiphertext, id }) =>
    readHeaders(keyring, headersCiphertext, id),
  )
  const masked = Object.entries(headers ?? {}).map(([name, value]) => {
    const hasChanged = old?.[name] !== undefined && old[name] !== value
    return [name, hasChanged ? `${MASK} (changed)` : MASK]
  })
  return {
    ...settingsIn(row, WEBHOOK_SETTINGS),
    // A set: another order is not a change.
    eventSubscriptions: row.eventSubscriptions.toSorted(),
    headers: Object.fromEntries(masked),
    retryScheduleSeconds: row.ownRetrySchedule ? row.retryScheduleSeconds : null,
  }
}
