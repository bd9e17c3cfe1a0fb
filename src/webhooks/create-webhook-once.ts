import type { Db } from '../db/client.ts'
import type { Prisma, Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { hashRequest, runOnce } from '../idempotency/run-once.ts'
import { DomainError, invalid } from '../lib/errors.ts'
import { withChallenge } from './endpoint/with-challenge.ts'
import { findWebhookById } from './find-webhooks.ts'
import { type ActingWebhookDeps, createWebhook } from './webhook.ts'
import type { NewWebhook } from './webhook-settings.ts'

/** The operation in the table of idempotency keys. */
const CREATE_WEBHOOK = 'createWebhook'

/**
 * Creates a webhook once per idempotency key, and returns the same public id for 24 hours. Only the id is stored,
 * because callers read the webhook's fields as they are at that time.
 */
export async function createWebhookOnce(
  deps: ActingWebhookDeps,
  organizationId: string,
  input: NewWebhook,
  key: string,
): Promise<string> {
  checkIdempotencyKey(key)
  const call = { organizationId, operation: CREATE_WEBHOOK, key, requestHash: hashRequest(input) }
  const { id } = await withChallenge(deps, organizationId, (proving) =>
    runOnce(proving, call, async (tx) => {
      const webhook = await createWebhook(proving, organizationId, input, tx)
      return { resourceId: parseId('webhook', webhook.id) as string, answer: { id: webhook.id } }
    }),
  )
  return id
}

/** The webhook that this or an earlier call created. Throws `conflict` if the webhook was deleted. */
export async function findCreatedWebhook(
  db: Db,
  organizationId: string,
  id: string,
  selection: Pick<Prisma.WebhookFindManyArgs, 'select' | 'include'>,
): Promise<WebhookRow> {
  const row = await findWebhookById(db, organizationId, id, selection)
  if (row) return row
  throw new DomainError(
    'conflict',
    `This idempotency key was used within the last 24 hours for the webhook ${id}, which was deleted. Use a new key for a new call.`,
  )
}

function checkIdempotencyKey(key: string): void {
  if (key.length >= 1 && key.length <= 255 && !key.includes('\0')) return
  throw invalid([
    {
      path: ['idempotencyKey'],
      code: 'invalid_length',
      detail: 'idempotencyKey must have 1 to 255 characters, none of them NUL.',
    },
  ])
}
