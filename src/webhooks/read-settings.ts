import { bodyColumns, chooseBody } from '../bodies/body.ts'
import { comparePlans } from '../bodies/event-graph/compile-selection.ts'
import type { Db } from '../db/client.ts'
import { Prisma, type Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { OPERATIONAL_PREFIX } from '../event-types/event-type.ts'
import { expandSubscriptions, isPattern, readNames } from '../event-types/find-event-types.ts'
import { compileFilter } from '../events/filters/compile-filter.ts'
import type { Filter } from '../events/filters/filter.ts'
import { printFilter } from '../events/filters/read-filter.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { isSameJson } from '../lib/exact-json.ts'
import { checkInput, omitUndefined } from '../lib/validation.ts'
import { findUrlProblem } from '../outbound/destination-url.ts'
import {
  applyHeaderChanges,
  encryptHeaders,
  type HeaderChange,
  readHeaders,
  requireValuesForOrigin,
} from './encrypted-headers.ts'
import type { WebhookDeps } from './webhook.ts'
import {
  MAX_SUBSCRIPTIONS,
  newWebhookRule,
  type WebhookInput,
  webhookChangesRule,
} from './webhook-settings.ts'

export interface ReadOptions {
  /** The new set of custom headers, in place of `headers`: headers without a value keep theirs. */
  readonly headerChanges?: readonly HeaderChange[]
  /**
   * Whether stored header values, which can be credentials, may go to another origin: only for a caller who may read them.
   * Default: no. Then an update to another origin needs them again.
   */
  readonly movesHeaderValues?: boolean
  /** What is wrong with parts of the request that are no settings. Listed first. */
  readonly otherIssues?: readonly FieldIssue[]
  /** Whether subscriptions can be patterns. Default: no; then the list that is shown for patterns keeps them. */
  readonly allowsPatterns?: boolean
}

/** A locked webhook, or only the id of a new one. */
type Before = WebhookRow | Pick<WebhookRow, 'id'>

/**
 * The columns that the given settings set, of a new webhook or a locked one, and the new version of its body. Throws one
 * `invalid` with all issues.
 */
export async function readSettings(
  tx: Db,
  deps: WebhookDeps,
  target: Before,
  given: WebhookInput,
  options: ReadOptions,
) {
  const { headerChanges, allowsPatterns = false } = options
  const { keyring } = deps
  const before = 'url' in target ? target : null
  const stored = before ? readHeaders(keyring, before.headersCiphertext, before.id) : {}
  const changed = headerChanges && { headers: applyHeaderChanges(headerChanges, stored) }
  const chosen = await readBody(tx, before, given)
  const kept = before && !allowsPatterns ? await keptPatterns(tx, before, given) : null
  const input = { ...given, ...changed, ...kept }
  const { data, issues } = checkInput(before ? webhookChangesRule : newWebhookRule, input)
  const all = [
    ...(options.otherIssues ?? []),
    ...(chosen?.issues ?? []),
    ...issues,
    ...destinationIssues(input, deps),
    ...(await subscriptionIssues(tx, input, before, allowsPatterns || kept !== null)),
  ]
  if (data === null || all.length > 0) throw invalid(all)
  const { url } = data
  const movesValues = options.movesHeaderValues || given.headers !== undefined
  if (before && url !== undefined && !movesValues) {
    requireValuesForOrigin(url, before.url, headerChanges, stored)
  }
  const { headers, filter, retryScheduleSeconds, eventSubscriptions, ...others } = data
  const { selection: _selection, template: _template, secret: _secret, ...columns } = others
  const body = chosen?.body ?? null
  return {
    columns: {
      ...omitUndefined(columns),
      ...(eventSubscriptions && { eventSubscriptions: [...new Set(eventSubscriptions)] }),
      ...(headers !== undefined && {
        headersCiphertext: encryptHeaders(keyring, headers, target.id),
      }),
      ...(filter !== undefined && filterColumns(filter, before?.filter ?? null)),
      // Prisma reads a null list as an empty one, so `ownRetrySchedule` tells an empty schedule from none.
      ...(retryScheduleSeconds !== undefined && {
        ownRetrySchedule: retryScheduleSeconds !== null,
        retryScheduleSeconds: retryScheduleSeconds ?? [],
      }),
      ...(body && bodyColumns(body)),
    },
    body,
  }
}

async function readBody(tx: Db, before: WebhookRow | null, choice: WebhookInput) {
  const { selection, template } = choice
  const isNew =
    (selection !== undefined && selection !== before?.selection) ||
    (template !== undefined && template !== before?.template)
  if (isNew) return await chooseBody(tx, choice)
  if (selection == null || !before?.bodyId) return null
  // The same selection, which has a new version if it means something else in the catalogue as it is now.
  const chosen = await chooseBody(tx, { selection })
  if (chosen.body === null) return null
  const current = await tx.webhookBody.findUnique({ where: { id: before.bodyId } })
  const [known, now] = [current?.plan, chosen.body.plan].map((plan) => JSON.parse(plan ?? 'null'))
  return comparePlans(known, now).length === 0 ? null : chosen
}

/** The patterns of the webhook, if the given names are those that the patterns stand for. */
async function keptPatterns(tx: Db, { eventSubscriptions }: WebhookRow, input: WebhookInput) {
  const names: unknown = input.eventSubscriptions
  if (!Array.isArray(names) || !eventSubscriptions.some(isPattern)) return null
  const shown = new Set(expandSubscriptions(eventSubscriptions, await readNames(tx)))
  const isSame = new Set(names).size === shown.size && names.every((name) => shown.has(name))
  return isSame ? { eventSubscriptions } : null
}

function destinationIssues({ url }: WebhookInput, { guard }: WebhookDeps): FieldIssue[] {
  if (typeof url !== 'string') return []
  const problem = findUrlProblem(url, guard)
  return problem ? [{ path: ['url'], ...problem }] : []
}

/** The subscriptions of the webhook stay valid after an event type is archived. */
async function subscriptionIssues(
  tx: Db,
  { eventSubscriptions: names }: WebhookInput,
  before: WebhookRow | null,
  allowsPatterns: boolean,
): Promise<FieldIssue[]> {
  if (!Array.isArray(names)) return []
  const catalogue = await readNames(tx)
  const hint = fewHints(catalogue, ` The event types are ${catalogue.join(', ')}.`)
  const existing = before?.eventSubscriptions.filter((one) => !isPattern(one)) ?? []
  const allowed = new Set<unknown>([...catalogue, ...existing])
  return names.slice(0, MAX_SUBSCRIPTIONS).flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || allowed.has(name)) return []
    const path = ['eventSubscriptions', index]
    if (allowsPatterns && isPattern(name)) return patternIssues(name, path)
    const detail = `There is no event type ${JSON.stringify(name.slice(0, 128))}.${hint(name)}`
    return [{ path, code: 'unknown_event_type', detail }]
  })
}

const PATTERN = /^([a-zA-Z0-9_-]+[.])*[*]$/

function patternIssues(pattern: string, path: FieldIssue['path']): FieldIssue[] {
  if (pattern.startsWith(OPERATIONAL_PREFIX)) {
    const detail = `${pattern} is no pattern: operational events are subscribed to by their names.`
    return [{ path, code: 'invalid_value', detail }]
  }
  if (PATTERN.test(pattern) && pattern.length <= 128) return []
  const detail = `${JSON.stringify(pattern.slice(0, 128))} is no pattern. Write the first words of names and an asterisk, such as order.*, or * for all event types.`
  return [{ path, code: 'invalid_value', detail }]
}

/** What is stored of a filter: its text, and what Postgres evaluates. A number in another spelling is the same one. */
function filterColumns(filter: Filter | null, stored: string | null) {
  const text = filter && printFilter(filter)
  if (isSameJson(text, stored)) return {}
  const { path, times, steps, scans } = filter ? compileFilter(filter) : NO_FILTER
  return {
    filter: text,
    filterPath: path,
    filterTimes: times?.map((leaf) => ({ ...leaf })) ?? Prisma.DbNull,
    filterSteps: steps,
    filterScans: scans,
  }
}

const NO_FILTER = { path: null, times: null, steps: null, scans: null }
