import type { Db } from '../../db/client.ts'
import { fewHints } from '../../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, invalid } from '../../lib/errors.ts'
import { fieldName } from '../../lib/validation.ts'
import { parseWebhook } from '../../webhooks/check-webhook.ts'
import {
  createWebhook,
  getWebhook,
  updateWebhook,
  type Webhook,
  type WebhookDeps,
} from '../../webhooks/webhook.ts'
import {
  type NewWebhook,
  newWebhookSchema,
  type WebhookChanges,
  webhookChangesSchema,
} from '../../webhooks/webhook-fields.ts'

type Body = Readonly<Record<string, unknown>>

/** Creates the webhook that a body describes, or refuses with everything that is wrong in the body. */
export async function createFromBody(
  deps: WebhookDeps,
  organizationId: string,
  body: Body,
  tx?: Db,
): Promise<Webhook> {
  const { input, mistakes } = readFields(body)
  if (mistakes.length === 0) {
    return await inBodyTerms([], () =>
      createWebhook(deps, organizationId, input as unknown as NewWebhook, tx),
    )
  }
  const { prisma, guard, headerPrefix } = deps
  const rules = { db: tx ?? prisma, guard, headerPrefix }
  await inBodyTerms(mistakes, () => parseWebhook(newWebhookSchema, input, rules))
  throw invalid(mistakes)
}

/** Changes a webhook as a body says, or refuses with everything that is wrong in the body. */
export async function updateFromBody(
  deps: WebhookDeps,
  organizationId: string,
  id: string,
  body: Body,
): Promise<Webhook> {
  const { input, mistakes } = readFields(body)
  if (mistakes.length === 0) {
    return await inBodyTerms([], () =>
      updateWebhook(deps, organizationId, id, input as WebhookChanges),
    )
  }
  const { eventSubscriptions, headers } = await getWebhook(deps, organizationId, id)
  const { prisma, guard, headerPrefix } = deps
  const rules = {
    db: prisma,
    guard,
    headerPrefix,
    existingSubscriptions: eventSubscriptions,
    existingHeaderNames: Object.keys(headers),
  }
  await inBodyTerms(mistakes, () => parseWebhook(webhookChangesSchema, input, rules))
  throw invalid(mistakes)
}

/** The fields of a body and what the domain calls them. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['url', 'url'],
  ['description', 'description'],
  ['enabled', 'enabled'],
  ['event_subscriptions', 'eventSubscriptions'],
  ['headers', 'headers'],
])

/** May come back as they were read, so that GET, change, PUT works. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

function readFields(body: Body): { input: Body; mistakes: FieldIssue[] } {
  const input: Record<string, unknown> = {}
  const mistakes: FieldIssue[] = []
  const known = [...FIELDS.keys()]
  const hint = fewHints(known, ` The fields are ${known.join(', ')}.`)
  for (const [name, value] of Object.entries(body)) {
    const field = FIELDS.get(name)
    if (field !== undefined) input[field] = value
    else if (!READ_ONLY.has(name)) mistakes.push(unknownField(name, hint(name)))
  }
  return { input, mistakes: [...mistakes, ...protoHeader(body['headers'])] }
}

function unknownField(name: string, hint: string): FieldIssue {
  const detail = `There is no field ${JSON.stringify(name.slice(0, 128))}.${hint}`
  return { path: [name], code: 'unknown_field', detail }
}

/** zod drops a key of this name without a word. */
function protoHeader(headers: unknown): FieldIssue[] {
  if (typeof headers !== 'object' || headers === null) return []
  if (!Object.hasOwn(headers, '__proto__')) return []
  const detail = 'headers.__proto__ cannot be the name of a header here; use another name.'
  return [{ path: ['headers', '__proto__'], code: 'invalid_header_name', detail }]
}

/** Lets the domain speak of the fields by the names that they have in a body, together with `mistakes`. */
async function inBodyTerms<T>(mistakes: readonly FieldIssue[], call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid') throw error
    throw invalid([...mistakes, ...error.issues.map(renamed)])
  }
}

function renamed({ path, code, detail }: FieldIssue): FieldIssue {
  const [field, ...rest] = path
  const name = [...FIELDS].find(([, domainName]) => domainName === field)?.[0]
  if (name === undefined) return { path, code, detail }
  const spoken = fieldName(path)
  const says = detail.startsWith(spoken)
  return {
    path: [name, ...rest],
    code,
    detail: says ? fieldName([name, ...rest]) + detail.slice(spoken.length) : detail,
  }
}
