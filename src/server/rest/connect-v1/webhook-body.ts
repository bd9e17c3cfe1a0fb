import { fewHints } from '../../../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, fieldIssue, invalid } from '../../../lib/errors.ts'
import type { Webhook } from '../../../webhooks/webhook.ts'
import type { WebhookInput } from '../../../webhooks/webhook-settings.ts'

type Body = Readonly<Record<string, unknown>>

/** Saves the webhook that a body describes. The issues of an `invalid` error have the names of the body. */
export async function fromBody(
  body: Body,
  save: (input: WebhookInput, otherIssues: readonly FieldIssue[]) => Promise<Webhook>,
): Promise<Resource> {
  const { input, otherIssues } = parseFields(body)
  try {
    return toResource(await save(input, otherIssues))
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid') throw error
    throw invalid(error.issues.map(renameField))
  }
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

const UNKNOWN_FIELD = 'unknown_field'

/** The values are not checked yet. */
function parseFields(body: Body): { input: WebhookInput; otherIssues: FieldIssue[] } {
  const input: Record<string, unknown> = {}
  const otherIssues: FieldIssue[] = []
  const hint = fewHints(FIELDS, ` The fields are ${FIELDS.join(', ')}.`)
  for (const [name, value] of Object.entries(body)) {
    // For `enabled`, null means omitted.
    if (name === 'enabled' && value === null) continue
    if (FIELDS.includes(name)) input[name === BODY_NAME ? DOMAIN_NAME : name] = value
    else if (!READ_ONLY.has(name)) {
      const detail = `There is no field ${JSON.stringify(name.slice(0, 128))}.${hint(name)}`
      otherIssues.push({ path: [name], code: UNKNOWN_FIELD, detail })
    }
  }
  return { input, otherIssues }
}

function renameField(issue: FieldIssue): FieldIssue {
  const [field, ...rest] = issue.path
  if (field !== DOMAIN_NAME || issue.code === UNKNOWN_FIELD) return issue
  const path = [BODY_NAME, ...rest]
  return issue.rule === undefined ? { ...issue, path } : fieldIssue(path, issue.code, issue.rule)
}

type Resource = ReturnType<typeof toResource>

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
