import type { Db } from '../db/client.ts'
import type { OperationalEventType } from './operational-event-types.ts'

export interface Alert {
  readonly organizationId: string
  /** A uuid. Null: the alert concerns no webhook. */
  readonly webhookId: string | null
  readonly type: OperationalEventType
  readonly data: object
}

/** Publishes an operational event in the caller's transaction. Does nothing while operational events are off. */
export async function alert(tx: Db, { organizationId, webhookId, type, data }: Alert) {
  await tx.$executeRaw`
    select posthorn.alert(
      ${organizationId}::uuid, ${webhookId}::uuid, ${type}, ${JSON.stringify(data)}::jsonb)`
}
