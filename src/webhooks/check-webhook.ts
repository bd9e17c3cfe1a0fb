import type { z } from 'zod'
import type { Db } from '../db/client.ts'
import { OPERATIONAL_PREFIX } from '../event-types/event-type.ts'
import { readNames } from '../event-types/find-event-types.ts'
import { isPattern } from '../event-types/subscriptions.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'
import { checkDestinationUrl } from '../outbound/destination-url.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { DEFAULT_HEADER_PREFIX, reservedNameIssues } from './custom-headers.ts'
import { signatureNameIssues } from './signatures/header-name-issues.ts'
import type { SecondSignature, SignatureHeaders } from './signatures/signature-fields.ts'
import { MAX_SUBSCRIPTIONS } from './webhook-fields.ts'

interface Rules {
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string | undefined
  /** The webhook's current subscriptions, which stay valid after an event type is archived. */
  readonly existingSubscriptions?: readonly string[]
  /** The names of the webhook's current custom headers, which stay valid after a name becomes reserved. */
  readonly existingHeaderNames?: readonly string[]
  /** How deliveries of the webhook are signed now, and stay signed without new values. */
  readonly existingSignatures?: SignatureNames | undefined
  /** What is wrong with other parts of the request. It is listed first. */
  readonly otherIssues?: readonly FieldIssue[] | undefined
  /** Whether patterns such as `order.*` are subscriptions too. Default: no, as in REST. */
  readonly allowsPatterns?: boolean | undefined
}

interface SignatureNames {
  readonly signatureHeaders?: SignatureHeaders | null | undefined
  readonly secondSignature?: Pick<SecondSignature, 'header'> | null | undefined
}

interface WebhookInput {
  readonly url?: unknown
  readonly eventSubscriptions?: unknown
  readonly headers?: unknown
}

type WebhookSchema = z.ZodType<SignatureNames & { eventSubscriptions?: string[] | undefined }>

/**
 * Parses the fields of a webhook, with the subscriptions checked against the catalogue in the database. Throws one
 * `invalid` error with all issues.
 */
export async function parseWebhook<Schema extends WebhookSchema>(
  schema: Schema,
  input: WebhookInput,
  { db, ...rules }: Rules & { readonly db: Db },
): Promise<z.output<Schema>> {
  const catalogue = Array.isArray(input.eventSubscriptions) ? await readNames(db) : []
  const { data, issues } = checkWebhook(schema, input, { ...rules, catalogue })
  const allIssues = [...(rules.otherIssues ?? []), ...issues]
  if (data === null || allIssues.length > 0) throw invalid(allIssues)
  return data
}

/**
 * Checks the schema, the destination URL, the subscriptions against the catalogue, and the header names against the
 * header prefix. Removes repeated subscriptions.
 */
export function checkWebhook<Schema extends WebhookSchema>(
  schema: Schema,
  input: WebhookInput,
  rules: Rules & { readonly catalogue: readonly string[] },
): { data: z.output<Schema> | null; issues: FieldIssue[] } {
  const { data, issues } = checkInput(schema, input)
  const allIssues = [
    ...issues,
    ...(typeof input.url === 'string' ? destinationIssues(input.url, rules.guard) : []),
    ...(isRecord(input.headers)
      ? reservedNameIssues(
          input.headers,
          rules.headerPrefix ?? DEFAULT_HEADER_PREFIX,
          rules.existingHeaderNames ?? [],
        )
      : []),
    ...(Array.isArray(input.eventSubscriptions)
      ? subscriptionIssues(input.eventSubscriptions, rules)
      : []),
  ]
  if (data) allIssues.push(...namesOfSignatures(data, input, rules))
  const subscriptions = data?.eventSubscriptions
  const unique = subscriptions && { eventSubscriptions: [...new Set(subscriptions)] }
  return { data: data && { ...data, ...unique }, issues: allIssues }
}

/** Checks the names that the webhook has after the change. */
function namesOfSignatures(data: SignatureNames, { headers }: WebhookInput, rules: Rules) {
  const { existingSignatures: existing = {}, headerPrefix = DEFAULT_HEADER_PREFIX } = rules
  const {
    signatureHeaders = existing.signatureHeaders,
    secondSignature = existing.secondSignature,
  } = data
  if (!signatureHeaders && !secondSignature) return []
  const customNames =
    headers === undefined ? (rules.existingHeaderNames ?? []) : Object.keys(Object(headers))
  const onlyCustomGiven = data.signatureHeaders === undefined && data.secondSignature === undefined
  return signatureNameIssues(
    { signatureHeaders, secondSignature, customNames, onlyCustomGiven },
    headerPrefix,
  )
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
  {
    catalogue,
    existingSubscriptions = [],
    allowsPatterns = false,
  }: Rules & { readonly catalogue: readonly string[] },
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
