import type { Db } from '../db/client.ts'

/** Opens, changes or resolves the incident of a webhook whose state changed in this transaction. */
export async function followIncidents(tx: Db, webhookUuid: string): Promise<void> {
  await tx.$queryRaw`select posthorn.follow_incidents(array[${webhookUuid}::uuid])`
}
