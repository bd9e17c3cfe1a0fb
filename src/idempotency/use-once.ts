import { actForOrganization } from '../db/act-for.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'

/** What can be used once. */
export interface SingleUse {
  /** The organization's uuid. */
  readonly organizationId: string
  /** The name of the operation. */
  readonly operation: string
  /** Its uuid. */
  readonly id: string
}

/** Whether this is the first use, in all processes, within the 24 hours that Posthorn keeps idempotency keys. */
export async function useOnce(
  prisma: PrismaClient,
  { organizationId, operation, id }: SingleUse,
): Promise<boolean> {
  const row = { organizationId, operation, key: id, resourceId: id, requestHash: new Uint8Array() }
  const { count } = await actForOrganization(prisma, organizationId, (tx) =>
    tx.idempotencyKey.createMany({ data: [row], skipDuplicates: true }),
  )
  return count === 1
}
