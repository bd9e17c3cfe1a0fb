import { bodyColumns, type ChosenBody, chooseBody } from '../bodies/choose-body.ts'
import type { Db } from '../db/client.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { comparePlans } from '../event-graph/selection-problems.ts'
import { expandSubscriptions, isPattern, readNames } from '../event-types/find-event-types.ts'
import type { Filter } from '../filters/filter.ts'
import { printFilter } from '../filters/read-filter.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { isSameJson } from '../lib/exact-json.ts'
import { omitUndefined } from '../lib/validation.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { checkEdit } from './check-edit.ts'
import { parseWebhook } from './check-webhook.ts'
import { filterColumns, retryScheduleColumns } from './columns.ts'
import { encryptHeaders, readHeaders } from './encrypted-headers.ts'
import { applyHeaderChanges, type HeaderChange, requireValuesForOrigin } from './header-changes.ts'
import { type WebhookChanges, webhookChangesSchema } from './webhook-settings.ts'

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
  readonly allowsPatterns?: boolean
}

/** The columns that an update sets in a locked row, and the new version of the body. Throws `invalid`. */
export async function parseChanges(
  tx: Db,
  rules: Rules,
  before: WebhookRow,
  input: WebhookChanges,
  { headerChanges, ifRevision, movesHeaderValues = false }: ChangeOptions,
) {
  const { keyring, allowsPatterns = false } = rules
  const stored = readHeaders(keyring, before.headersCiphertext, before.id)
  const applied = headerChanges && applyHeaderChanges(headerChanges, stored)
  if (applied && applied.issues.length > 0) {
    // The header to keep may be unknown because somebody else removed it.
    await checkEdit(tx, before, ifRevision)
    throw invalid(applied.issues)
  }
  const chosen = isNewBody(before, input)
    ? await chooseBody(tx, input)
    : await compileAgain(tx, before, input)
  const kept = allowsPatterns ? null : await keptPatterns(tx, before, input)
  const {
    headers,
    filter,
    retryScheduleSeconds,
    selection: _selection,
    template: _template,
    ...fields
  } = await parseWebhook(
    webhookChangesSchema,
    {
      ...input,
      ...(applied && { headers: applied.headers }),
      ...kept,
    },
    {
      ...rules,
      db: tx,
      existingSubscriptions: before.eventSubscriptions,
      existingHeaderNames: Object.keys(stored ?? {}),
      existingPrefix: before.headerPrefix,
      otherIssues: [...(rules.otherIssues ?? []), ...(chosen?.issues ?? [])],
      allowsPatterns: allowsPatterns || kept !== null,
    },
  )
  if (!movesHeaderValues && fields.url !== undefined && input.headers === undefined) {
    requireValuesForOrigin(fields.url, before.url, headerChanges, stored)
  }
  const body: ChosenBody | null = chosen?.body ?? null
  const columns = {
    ...omitUndefined(fields),
    ...(headers !== undefined && {
      headersCiphertext: encryptHeaders(keyring, headers, before.id),
    }),
    ...(filter !== undefined && !isSameFilter(filter, before.filter) && filterColumns(filter)),
    ...(retryScheduleSeconds !== undefined && retryScheduleColumns(retryScheduleSeconds)),
    ...(body && bodyColumns(body)),
  }
  return { columns, body }
}

/** Whether a given text differs from the stored one. */
function isNewBody(before: WebhookRow, { selection, template }: WebhookChanges): boolean {
  return (
    (selection !== undefined && selection !== before.selection) ||
    (template !== undefined && template !== before.template)
  )
}

/** The patterns of the webhook, if the given names are those that the patterns stand for. */
async function keptPatterns(tx: Db, { eventSubscriptions }: WebhookRow, input: WebhookChanges) {
  const names: unknown = input.eventSubscriptions
  if (!Array.isArray(names) || !eventSubscriptions.some(isPattern)) return null
  const shown = new Set(expandSubscriptions(eventSubscriptions, await readNames(tx)))
  const isSame = new Set(names).size === shown.size && names.every((name) => shown.has(name))
  return isSame ? { eventSubscriptions } : null
}

/** The same selection, if it means something else in the catalogue as it is now. Null: it keeps its version. */
async function compileAgain(tx: Db, before: WebhookRow, { selection }: WebhookChanges) {
  if (selection == null || before.bodyId === null) return null
  const chosen = await chooseBody(tx, { selection })
  if (chosen.body === null) return null
  const current = await tx.webhookBody.findUnique({ where: { id: before.bodyId } })
  const plans = [current?.plan, chosen.body.plan].map((plan) => JSON.parse(plan ?? 'null'))
  return comparePlans(plans[0], plans[1]).length === 0 ? null : chosen
}

/** A number in another spelling is the same one. */
function isSameFilter(filter: Filter | null, stored: string | null): boolean {
  return isSameJson(filter && printFilter(filter), stored)
}
