import type { Db } from '../db/client.ts'
import type { Prisma } from '../db/generated/prisma/client.ts'
import { invalid } from '../lib/errors.ts'

export interface Room {
  readonly max: number
  /** Which webhooks count. Default: all. */
  readonly where?: Prisma.WebhookWhereInput
  /** Their name in the error. */
  readonly thing: string
  readonly remedy: string
}

/**
 * Throws `invalid` if a webhook that the transaction created is one too many for the organization. Concurrent creations
 * wait for each other until they commit, so that together they do not exceed the maximum: the last thing of a transaction,
 * so that they wait for little.
 */
export async function requireRoom(
  db: Db,
  organizationId: string,
  { max, where = {}, thing, remedy }: Room,
): Promise<void> {
  await db.$queryRaw`
    select pg_advisory_xact_lock(hashtextextended('posthorn.create_webhook:' || ${organizationId}, 0))::text`
  const count = await db.webhook.count({ where: { organizationId, deletedAt: null, ...where } })
  if (count <= max) return
  throw invalid([
    {
      path: [],
      code: 'too_many_webhooks',
      detail: `The organization has ${(count - 1).toLocaleString('en')} ${thing}, and may have ${max.toLocaleString('en')}. ${remedy}`,
    },
  ])
}
