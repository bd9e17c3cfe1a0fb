import type { Database } from '../../../src/db/client.ts'
import type { Delivery } from '../../../src/db/generated/prisma/client.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import type { AttemptRecord } from '../../../src/deliveries/attempts/attempt-record.ts'
import { createRecordAttempt } from '../../../src/deliveries/attempts/record-attempt.ts'
import type { PublishEvents } from '../../../src/events/publish-events.ts'
import { createWebhook } from '../../../src/webhooks/save-webhook.ts'
import { attemptOf } from '../../support/attempts.ts'
import { JOINED } from '../../support/factories.ts'

/** The status classes of failed attempts. */
export const FAILED = ['REDIRECTION_3XX', 'CLIENT_ERROR_4XX', 'SERVER_ERROR_5XX', 'NO_RESPONSE']

/** What the domain functions need. */
interface Domain {
  readonly deps: {
    readonly webhooks: Parameters<typeof createWebhook>[0]
    readonly publishEvents: PublishEvents
  }
}

/** A webhook, which receives `JOINED` events by default. */
export async function addWebhook(
  { deps }: Domain,
  organizationId: string,
  {
    url = 'https://example.com/hook',
    headers = {} as Record<string, string>,
    eventType = JOINED,
  } = {},
) {
  const fields = { url, headers, enabled: true, eventSubscriptions: [eventType] }
  return await createWebhook(deps.webhooks, organizationId, fields)
}

/** Publishes `count` events and returns their ids. */
export async function publish(
  { deps }: Domain,
  organizationId: string,
  count = 1,
  type = JOINED,
): Promise<string[]> {
  const events = Array.from({ length: count }, (_, i) => ({ type, data: { i } }))
  const published = await deps.publishEvents(organizationId, events)
  return published.map(({ id }) => id)
}

/** The ids of the deliveries of an organization, newest first. */
export async function deliveryIds({ prisma }: Database, organizationId: string): Promise<string[]> {
  const rows = await prisma.delivery.findMany({
    where: { organizationId },
    orderBy: { id: 'desc' },
  })
  return rows.map(({ id }) => publicId('delivery', id))
}

/** The row of a delivery. */
export async function deliveryRow({ prisma }: Database, id: string): Promise<Delivery> {
  return await prisma.delivery.findFirstOrThrow({
    where: { id: parseId('delivery', id) as string },
  })
}

/** The next step after an attempt that was not the last one of its schedule. */
export const RETRY = { next: { kind: 'retry', delayMs: 60_000 } } as const

/** Records an attempt as a worker does, and returns its id. A null status means no response. */
export async function recordAttempt(
  database: Database,
  deliveryId: string | undefined,
  status: number | null,
  given?: Partial<AttemptRecord>,
): Promise<string> {
  const row = await deliveryRow(database, deliveryId as string)
  const record = createRecordAttempt(database.pool)
  const recorded = await record(attemptOf(row, status, given))
  return publicId('attempt', recorded?.attemptId as string)
}

/** Records an attempt with the status 500, which is to be retried. */
export const addAttempt = (database: Database, deliveryId: string) =>
  recordAttempt(database, deliveryId, 500, RETRY)
