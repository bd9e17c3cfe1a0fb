import { changedFields } from '../audit/audit-entry.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { readHeaders } from './encrypted-headers.ts'
import { MASK } from './mask.ts'

/** What the audit log shows of a change of a webhook: the fields that differ, with the values of headers masked. */
export function auditedChanges(keyring: Keyring, before: WebhookRow, after: WebhookRow) {
  const was = auditedFields(keyring, before)
  const is = auditedFields(keyring, after)
  const changed = changedFields(was, is)
  if (!('headers' in changed.after)) return changed
  return {
    before: { ...changed.before, headers: masked(was.headers, was.headers) },
    after: { ...changed.after, headers: masked(is.headers, was.headers) },
  }
}

/** The same of a webhook that was made, or is gone. */
export function auditedWebhook(keyring: Keyring, row: WebhookRow) {
  const fields = auditedFields(keyring, row)
  return { ...fields, headers: masked(fields.headers, fields.headers) }
}

type Headers = Readonly<Record<string, string>> | null

function auditedFields(keyring: Keyring, row: WebhookRow) {
  return {
    url: row.url,
    description: row.description,
    enabled: row.enabled,
    eventSubscriptions: row.eventSubscriptions,
    headers: readHeaders(keyring, row.headersCiphertext, row.id),
    rateLimitPerSecond: row.rateLimitPerSecond,
    maxInFlight: row.maxInFlight,
    retryScheduleSeconds: row.ownRetrySchedule ? row.retryScheduleSeconds : null,
    timeoutSeconds: row.timeoutSeconds,
    ordered: row.ordered,
  }
}

/** Every value may be a credential; all that is told of it is whether it is another one now. */
function masked(headers: Headers, before: Headers): Record<string, string> | 'unreadable' {
  if (headers === null) return 'unreadable'
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isAnother = before?.[name] !== undefined && before[name] !== value
      return [name, isAnother ? `${MASK} (another)` : MASK]
    }),
  )
}
