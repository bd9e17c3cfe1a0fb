import type { Database } from '../../src/db/client.ts'
import { parseId } from '../../src/db/ids.ts'

/** What each change of a webhook leaves beside its fields. */
export async function traceOf({ prisma }: Database, webhookId: string) {
  const { revision, deletedAt } = await prisma.webhook.findUniqueOrThrow({
    where: { id: parseId('webhook', webhookId) as string },
  })
  const audited = await prisma.auditEntry.count({ where: { subjectId: webhookId } })
  return { revision, deletedAt, audited }
}

/** What the audit log has of its last change. */
export async function lastChangeOf({ prisma }: Database, webhookId: string) {
  const where = { subjectId: webhookId, action: 'webhook.updated' }
  return (await prisma.auditEntry.findFirst({ where, orderBy: { id: 'desc' } }))?.after
}
