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
  readonly db: Db
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string | undefined
  /** The webhook's current subscriptions, which stay valid after an event type is archived. */
  readonly existingSubscriptions?: readonly string[]
  /** The names of the webhook's current custom headers, which stay valid after a name becomes reserved. */
  readonly existingHeaderNames?: readonly string[]
}

/**
 * Parses the fields of a webhook. Checks the schema, the destination URL, the subscriptions against the catalogue, and
 * the header names against the header prefix. Throws one `invalid` error with all issues. Removes repeated
 * subscriptions.
 */
export async function parseWebhook<
  Schema extends z.ZodType<{ eventSubscriptions?: string[] | undefined }>,
>(
  schema: Schema,
  input: { url?: unknown; eventSubscriptions?: unknown; headers?: unknown },
  rules: Rules,
): Promise<z.output<Schema>> {
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
      ? await subscriptionIssues(input.eventSubscriptions, rules)
      : []),
  ]
  if (!data || allIssues.length > 0) throw invalid(allIssues)
  if (!data.eventSubscriptions) return data
  return { ...data, eventSubscriptions: [...new Set(data.eventSubscriptions)] }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function destinationIssues(url: string, guard: AddressGuard): FieldIssue[] {
  const check = checkDestinationUrl(url, guard)
  return check.ok ? [] : [{ path: ['url'], code: check.code, detail: check.detail }]
}

async function subscriptionIssues(
  names: readonly unknown[],
  { db, existingSubscriptions = [] }: Rules,
): Promise<FieldIssue[]> {
  const types = await db.eventType.findMany({
    where: { archivedAt: null },
    select: { name: true },
    orderBy: { name: 'asc' },
  })
  const catalogue = types.map((type) => type.name)
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
