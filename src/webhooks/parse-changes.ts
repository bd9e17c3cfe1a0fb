import type { Db } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { checkEdit } from './check-edit.ts'
import { parseWebhook } from './check-webhook.ts'
import { encryptHeaders, readHeaders } from './encrypted-headers.ts'
import { applyHeaderChanges, type HeaderChange, requireValuesForOrigin } from './header-changes.ts'
import { retryScheduleColumns } from './retry-schedule-columns.ts'
import { type WebhookChanges, webhookChangesSchema } from './webhook-fields.ts'

export interface ChangeOptions {
  /** The new set of custom headers, in place of `headers`: headers without a value keep theirs. */
  readonly headerChanges?: readonly HeaderChange[]
  /**
   * Whether stored header values, which can be credentials, may go to another origin: only for a caller who may read them.
   * Default: no. Then an update to another origin needs them again.
   */
  readonly movesHeaderValues?: boolean
  /** The revision that the caller read. An update throws an `EditConflict` if its fields were changed since. */
  readonly ifRevision?: number
}

interface Rules {
  readonly keyring: Keyring
  readonly guard: AddressGuard
  readonly headerPrefix?: string
  readonly otherIssues?: readonly FieldIssue[]
}

/** The columns that an update sets in a locked row. Throws `invalid`. */
export async function parseChanges(
  tx: Db,
  { keyring, guard, headerPrefix, otherIssues }: Rules,
  before: WebhookRow,
  input: WebhookChanges,
  { headerChanges, ifRevision, movesHeaderValues = false }: ChangeOptions,
) {
  const stored = readHeaders(keyring, before.headersCiphertext, before.id)
  const applied = headerChanges && applyHeaderChanges(headerChanges, stored)
  if (applied && applied.issues.length > 0) {
    // The header to keep may be unknown because somebody else removed it.
    await checkEdit(tx, keyring, before, ['headers'], ifRevision)
    throw invalid(applied.issues)
  }
  const { headers, retryScheduleSeconds, ...fields } = await parseWebhook(
    webhookChangesSchema,
    { ...input, ...(applied && { headers: applied.headers }) },
    {
      db: tx,
      guard,
      headerPrefix,
      existingSubscriptions: before.eventSubscriptions,
      existingHeaderNames: Object.keys(stored ?? {}),
      otherIssues,
    },
  )
  if (before.forwardedUntil !== null && fields.url !== undefined && fields.url !== before.url) {
    throw invalid([{ path: ['url'], code: 'temporary_webhook', detail: URL_OF_TEMPORARY }])
  }
  if (!movesHeaderValues && fields.url !== undefined && input.headers === undefined) {
    requireValuesForOrigin(fields.url, before.url, headerChanges, stored)
  }
  return {
    ...omitUndefined(fields),
    ...(headers !== undefined && {
      headersCiphertext: encryptHeaders(keyring, headers, before.id),
    }),
    ...(retryScheduleSeconds !== undefined && retryScheduleColumns(retryScheduleSeconds)),
  }
}

const URL_OF_TEMPORARY =
  'url cannot be changed: the webhook is temporary, and `posthorn listen --forward` receives its deliveries. Register another webhook for this URL.'

function omitUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [K in keyof T]: Exclude<T[K], undefined> }
}
