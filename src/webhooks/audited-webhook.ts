import { changedFields } from '../auth/audit/audit-entry.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { settingsIn } from '../lib/setting.ts'
import { MASK, readHeaders } from './encrypted-headers.ts'
import { WEBHOOK_SETTINGS } from './webhook-settings.ts'

/** The changed fields of a webhook for the audit log, with header values masked. */
export function auditedChanges(keyring: Keyring, before: WebhookRow, after: WebhookRow) {
  const fieldsBefore = auditedFields(keyring, before)
  const fieldsAfter = auditedFields(keyring, after)
  const changed = changedFields(fieldsBefore, fieldsAfter)
  if ('headers' in changed.after) {
    Object.assign(changed.before, {
      headers: maskHeaders(fieldsBefore.headers, fieldsBefore.headers),
    })
    Object.assign(changed.after, {
      headers: maskHeaders(fieldsAfter.headers, fieldsBefore.headers),
    })
  }
  return changed
}

/** All fields of a created or deleted webhook for the audit log, with header values masked. */
export function auditedWebhook(keyring: Keyring, row: WebhookRow) {
  const fields = auditedFields(keyring, row)
  return {
    ...fields,
    headers: maskHeaders(fields.headers, fields.headers),
  }
}

type Headers = Readonly<Record<string, string>> | null

/** The fields that a caller can set. */
function auditedFields(keyring: Keyring, row: WebhookRow) {
  return {
    ...settingsIn(row, WEBHOOK_SETTINGS),
    // A set: another order is not a change.
    eventSubscriptions: row.eventSubscriptions.toSorted(),
    headers: readHeaders(keyring, row.headersCiphertext, row.id),
    retryScheduleSeconds: row.ownRetrySchedule ? row.retryScheduleSeconds : null,
  }
}

/** Masks every value, which can be a credential, and shows only whether the value changed. */
function maskHeaders(headers: Headers, before: Headers): Record<string, string> | 'unreadable' {
  if (headers === null) return 'unreadable'
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const hasChanged = before?.[name] !== undefined && before[name] !== value
      return [name, hasChanged ? `${MASK} (changed)` : MASK]
    }),
  )
}
