import type { Actor } from '../../access/actor.ts'
import { writeAuditEntry } from '../../audit/audit-entry.ts'
import { readBodies } from '../../bodies/read-bodies.ts'
import type { Db, Sql } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { DomainError, invalid, notFound } from '../../lib/errors.ts'
import { requestedUrl } from '../../outbound/destination.ts'
import { checkDestinationUrl } from '../../outbound/destination-url.ts'
import type { Ended } from '../../outbound/outcome.ts'
import type { AddressGuard } from '../../outbound/public-address.ts'
import { deliveryHeaderNames } from '../attempts/signed-request.ts'
import { whyNoPayload } from '../delivery.ts'
import type { CopySender } from './copy-sender.ts'

interface CopyDeps {
  readonly prisma: Db
  readonly sql: Sql
  readonly copySender: CopySender
  readonly webhooks: { readonly guard: AddressGuard; readonly headerPrefix?: string }
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** A copy of a delivery, and what the URL answered. */
export interface DeliveryCopy {
  readonly url: string
  readonly sentAt: Date
  readonly outcome: Ended
}

/**
 * Sends the body of a delivery once to any permitted URL, without a signature and without custom headers: a signature is
 * only for the webhook's own endpoint, and custom headers can be credentials. A copy is not an attempt. Throws `invalid`
 * for a URL that is not permitted, and `conflict` if the event is past its retention or erased.
 */
export async function sendCopy(
  { prisma, sql, copySender, webhooks, actor }: CopyDeps,
  organizationId: string,
  id: string,
  url: string,
): Promise<DeliveryCopy> {
  const { isTest, body } = await findDelivery(sql, organizationId, id)
  const check = checkDestinationUrl(url, webhooks.guard)
  if (!check.ok) throw invalid([{ path: ['url'], code: check.code, detail: check.detail }])
  await writeAuditEntry(prisma, actor, {
    action: 'delivery.copied',
    organizationId,
    subjectId: id,
    after: { host: new URL(url).host },
  })
  const sentAt = new Date()
  const names = deliveryHeaderNames(webhooks.headerPrefix ?? 'wh-')
  const outcome = await copySender.send({
    organizationId,
    url,
    headers: {
      'content-type': 'application/json',
      [names.id]: id,
      [names.timestamp]: String(Math.floor(sentAt.getTime() / 1_000)),
      ...(isTest && { [names.test]: 'true' }),
    },
    body: Buffer.from(body),
  })
  return { url: requestedUrl(url), sentAt, outcome }
}

interface CopiedDelivery {
  readonly isTest: boolean
  readonly body: string
}

async function findDelivery(sql: Sql, organizationId: string, id: string): Promise<CopiedDelivery> {
  const uuid = parseId('delivery', id)
  if (uuid === null) throw notFound('delivery', id)
  const { rows } = await sql.query<{ isTest: boolean; isErased: boolean; isNotKept: boolean }>(
    `select d.is_test as "isTest", d.is_erased as "isErased", not exists (
       select from posthorn.events as e where e.id = d.event_id and e.erased_at is not null and e.unkept_bytes is null
     ) as "isNotKept"
     from posthorn.deliveries as d where d.id = $1 and d.organization_id = $2`,
    [uuid, organizationId],
  )
  const [row] = rows
  if (!row) throw notFound('delivery', id)
  const [body] = await readBodies(sql, [uuid])
  if (body != null) return { ...row, body }
  throw new DomainError(
    'conflict',
    row.isErased
      ? whyNoPayload(id, row.isNotKept, 'no copy can be sent')
      : `The event of the delivery ${id} is past its retention, so no copy can be sent.`,
  )
}
