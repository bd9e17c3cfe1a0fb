import type { z } from 'zod'
import type { Db } from '../db/client.ts'
import { fewHints } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { checkInput } from '../lib/validation.ts'
import { checkDestinationUrl } from '../outbound/destination-url.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { DEFAULT_HEADER_PREFIX, reservedNameIssues } from './custom-headers.ts'
import { MAX_SUBSCRIPTIONS } from './webhook-fields.ts'

interface Rules {
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string | undefined
  /** The webhook's current subscriptions, which stay valid after an event type is archived. */
  readonly existingSubscriptions?: readonly string[]
  /** The names of the webhook's current custom headers, which stay valid after a name becomes reserved. */
  readonly existingHeaderNames?: readonly string[]
  /** What is wrong with other parts of the request. It is listed first. */
  readonly otherIssues?: readonly FieldIssue[] | undefined
}

interface WebhookInput {
  readonly url?: unknown
  readonly eventSubscriptions?: unknown
  readonly headers?: unknown
}

type WebhookSchema = z.ZodType<{ eventSubscriptions?: string[] | undefined }>

/**
 * Parses the fields of a webhook, with the subscriptions checked against the catalogue in the database. Throws one
 * `invalid` error with all issues.
 */
export async function parseWebhook<Schema extends WebhookSchema>(
  schema: Schema,
  input: WebhookInput,
  { db, ...rules }: Rules & { readonly db: Db },
): Promise<z.output<Schema>> {
  const catalogue = Array.isArray(input.eventSubscriptions) ? await readCatalogue(db) : []
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
  const subscriptions = data?.eventSubscriptions
  const unique = subscriptions && { eventSubscriptions: [...new Set(subscriptions)] }
  return { data: data && { ...data, ...unique }, issues: allIssues }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function destinationIssues(url: string, guard: AddressGuard): FieldIssue[] {
  const check = checkDestinationUrl(url, guard)
  return check.ok ? [] : [{ path: ['url'], code: check.code, detail: check.detail }]
}

async function readCatalogue(db: Db): Promise<string[]> {
  const types = await db.eventType.findMany({
    where: { archivedAt: null },
    select: { name: true },
    orderBy: { name: 'asc' },
  })
  return types.map((type) => type.name)
}

function subscriptionIssues(
  names: readonly unknown[],
  { catalogue, existingSubscriptions = [] }: Rules & { readonly catalogue: readonly string[] },
): FieldIssue[] {
  const hint = fewHints(catalogue, ` The event types are ${catalogue.join(', ')}.`)
  const allowed = new Set<unknown>([...catalogue, ...existingSubscriptions])
  return names.slice(0, MAX_SUBSCRIPTIONS).flatMap((name, index) => {
    if (typeof name !== 'string' || allowed.has(name)) return []
    return [
      {
        path: ['eventSubscriptions', index],
        code: 'unknown_event_type',
        detail: `There is no event type ${JSON.stringify(name.slice(0, 128))}.${hint(name)}`,
      },
    ]
  })
}
