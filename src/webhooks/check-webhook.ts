import type { z } from 'zod'
import type { Db } from '../db/client.ts'
import { OPERATIONAL_PREFIX } from '../event-types/event-type.ts'
import { isPattern, readNames } from '../event-types/find-event-types.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'
import { checkDestinationUrl } from '../outbound/destination-url.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { DEFAULT_HEADER_PREFIX, reservedNameIssues } from './custom-headers.ts'
import { MAX_SUBSCRIPTIONS } from './webhook-settings.ts'

interface Rules {
  readonly db: Db
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string | undefined
  /** The webhook's current subscriptions, which stay valid after an event type is archived. */
  readonly existingSubscriptions?: readonly string[]
  /** The names of the webhook's current custom headers, which stay valid after a name becomes reserved. */
  readonly existingHeaderNames?: readonly string[]
  /** The prefix of the webhook's own, which stays without a new one. */
  readonly existingPrefix?: string | null
  /** What is wrong with other parts of the request. It is listed first. */
  readonly otherIssues?: readonly FieldIssue[] | undefined
  /** Whether patterns such as `order.*` are subscriptions too. Default: no, as in REST. */
  readonly allowsPatterns?: boolean | undefined
}

interface WebhookInput {
  readonly url?: unknown
  readonly eventSubscriptions?: unknown
  readonly headers?: unknown
}

interface Parsed {
  readonly eventSubscriptions?: string[] | undefined
  readonly headerPrefix?: string | null | undefined
}

type WebhookSchema = z.ZodType<Parsed>

/**
 * Parses the fields of a webhook. Also checks the destination URL, the subscriptions against the catalogue in the database,
 * and the header names against the header prefix. Removes repeated subscriptions. Throws one `invalid` error with all issues.
 */
export async function parseWebhook<Schema extends WebhookSchema>(
  schema: Schema,
  input: WebhookInput,
  rules: Rules,
): Promise<z.output<Schema>> {
  const { data, issues } = checkInput(schema, input)
  const { url, headers, eventSubscriptions } = input
  const allIssues = [
    ...(rules.otherIssues ?? []),
    ...issues,
    ...(typeof url === 'string' ? destinationIssues(url, rules.guard) : []),
    ...(isRecord(headers)
      ? reservedNameIssues(
          headers,
          rules.headerPrefix ?? DEFAULT_HEADER_PREFIX,
          rules.existingHeaderNames ?? [],
        )
      : []),
    ...(Array.isArray(eventSubscriptions)
      ? subscriptionIssues(eventSubscriptions, await readNames(rules.db), rules)
      : []),
    ...(data ? prefixIssues(data, input, rules) : []),
  ]
  if (data === null || allIssues.length > 0) throw invalid(allIssues)
  const unique = data.eventSubscriptions && [...new Set(data.eventSubscriptions)]
  return { ...data, ...(unique && { eventSubscriptions: unique }) }
}

/** Issues for custom headers that have the names of the webhook's own prefix after the change. */
function prefixIssues(data: Parsed, { headers }: WebhookInput, rules: Rules): FieldIssue[] {
  const { headerPrefix = rules.existingPrefix } = data
  if (!headerPrefix) return []
  const own = ['id', 'timestamp', 'signature'].map((name) => headerPrefix + name)
  const names = headers === undefined ? rules.existingHeaderNames : Object.keys(Object(headers))
  return (names ?? [])
    .filter((name) => own.includes(name.toLowerCase()))
    .map((name) => {
      const path = headers === undefined ? ['headerPrefix'] : ['headers', name]
      return fieldIssue(path, 'duplicate_header', `makes two headers of the name ${name}.`)
    })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function destinationIssues(url: string, guard: AddressGuard): FieldIssue[] {
  const check = checkDestinationUrl(url, guard)
  return check.ok ? [] : [{ path: ['url'], code: check.code, detail: check.detail }]
}

const PATTERN = /^([a-zA-Z0-9_-]+[.])*[*]$/

function patternIssues(pattern: string, index: number): FieldIssue[] {
  const path = ['eventSubscriptions', index]
  if (pattern.startsWith(OPERATIONAL_PREFIX)) {
    const detail = `${pattern} is no pattern: operational events are subscribed to by their names.`
    return [{ path, code: 'invalid_value', detail }]
  }
  if (PATTERN.test(pattern) && pattern.length <= 128) return []
  const detail = `${JSON.stringify(pattern.slice(0, 128))} is no pattern. Write the first words of names and an asterisk, such as order.*, or * for all event types.`
  return [{ path, code: 'invalid_value', detail }]
}

function subscriptionIssues(
  names: readonly unknown[],
  catalogue: readonly string[],
  { existingSubscriptions = [], allowsPatterns = false }: Rules,
): FieldIssue[] {
  const hint = fewHints(catalogue, ` The event types are ${catalogue.join(', ')}.`)
  const existing = existingSubscriptions.filter((one) => !isPattern(one))
  const allowed = new Set<unknown>([...catalogue, ...existing])
  return names.slice(0, MAX_SUBSCRIPTIONS).flatMap((name, index) => {
    if (typeof name !== 'string' || allowed.has(name)) return []
    if (allowsPatterns && isPattern(name)) return patternIssues(name, index)
    return [
      {
        path: ['eventSubscriptions', index],
        code: 'unknown_event_type',
        detail: `There is no event type ${JSON.stringify(name.slice(0, 128))}.${hint(name)}`,
      },
    ]
  })
}
