import type { Db } from '../../../db/client.ts'
import { fewHints } from '../../../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, fieldIssue, invalid } from '../../../lib/errors.ts'
import { createWebhook, updateWebhook } from '../../../webhooks/save-webhook.ts'
import type { ActingWebhookDeps, Precondition, Webhook } from '../../../webhooks/webhook.ts'
import type { WebhookInput } from '../../../webhooks/webhook-settings.ts'

type Body = Readonly<Record<string, unknown>>

/** Creates the webhook that a body describes. Throws `invalid` with all errors of the body. */
export async function createFromBody(
  deps: ActingWebhookDeps,
  organizationId: string,
  body: Body,
  tx?: Db,
): Promise<Webhook> {
  const { input, otherIssues } = parseFields(body)
  return await withBodyNames(() => createWebhook(deps, organizationId, input, { otherIssues }, tx))
}

/** Updates a webhook with the fields of a body. Throws `invalid` with all errors of the body. */
export async function updateFromBody(
  deps: ActingWebhookDeps,
  organizationId: string,
  id: string,
  body: Body,
  precondition: Precondition,
): Promise<Webhook> {
  const { input, otherIssues } = parseFields(body)
  return await withBodyNames(() =>
    updateWebhook(deps, organizationId, id, input, {
      otherIssues,
      precondition,
      // REST shows the values to every caller who may read webhooks.
      movesHeaderValues: true,
    }),
  )
}

/** The fields of a body. In the domain, one has another name. */
const FIELDS: readonly string[] = [
  'url',
  'description',
  'enabled',
  'event_subscriptions',
  'headers',
]
const [BODY_NAME, DOMAIN_NAME] = ['event_subscriptions', 'eventSubscriptions']

/** Accepted and ignored, so that a caller can send back a webhook as read, with changes. */
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** The values are not checked yet. */
function parseFields(body: Body): { input: WebhookInput; otherIssues: FieldIssue[] } {
  const input: Record<string, unknown> = {}
  const otherIssues: FieldIssue[] = []
  const hint = fewHints(FIELDS, ` The fields are ${FIELDS.join(', ')}.`)
  for (const [name, value] of Object.entries(body)) {
    // For `enabled`, null means omitted.
    if (name === 'enabled' && value === null) continue
    if (FIELDS.includes(name)) input[name === BODY_NAME ? DOMAIN_NAME : name] = value
    else if (!READ_ONLY.has(name)) otherIssues.push(unknownField(name, hint(name)))
  }
  return { input, otherIssues }
}

const UNKNOWN_FIELD = 'unknown_field'

function unknownField(name: string, hint: string): FieldIssue {
  const detail = `There is no field ${JSON.stringify(name.slice(0, 128))}.${hint}`
  return { path: [name], code: UNKNOWN_FIELD, detail }
}

/** Renames the domain's fields in an error to those of the body. */
async function withBodyNames<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid') throw error
    throw invalid(error.issues.map(renameField))
  }
}

function renameField(issue: FieldIssue): FieldIssue {
  const [field, ...rest] = issue.path
  if (field !== DOMAIN_NAME || issue.code === UNKNOWN_FIELD) return issue
  const path = [BODY_NAME, ...rest]
  return issue.rule === undefined ? { ...issue, path } : fieldIssue(path, issue.code, issue.rule)
}

/** A webhook in responses. */
export function toResource(webhook: Webhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    enabled: webhook.enabled,
    event_subscriptions: [...webhook.eventSubscriptions],
    headers: { ...webhook.headers },
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}
