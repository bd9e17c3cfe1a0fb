import type { Db } from '../db/client.ts'
import type { OperationalEventType } from './operational-event-types.ts'

export interface Notice {
  readonly organizationId: string
  /** A uuid. Null: the notice concerns no webhook. */
  readonly webhookId: string | null
  readonly type: OperationalEventType
  readonly data: object
}

/** Publishes an operational event in the caller's transaction. Does nothing while operational events are off. */
export async function notice(tx: Db, { organizationId, webhookId, type, data }: Notice) {
  await tx.$executeRaw`
    select posthorn.notice(
      ${organizationId}::uuid, ${webhookId}::uuid, ${type}, ${JSON.stringify(data)}::jsonb)`
}
