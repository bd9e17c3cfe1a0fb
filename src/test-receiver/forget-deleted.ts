import type { Db } from '../db/client.ts'
import type { Inboxes } from './received-requests.ts'

const EVERY_MS = 60_000

/** Removes the inboxes of organizations that were deleted. */
export async function forgetDeleted(db: Db, inboxes: Inboxes): Promise<void> {
  const ids = [...inboxes.keys()]
  if (ids.length === 0) return
  const found = await db.organization.findMany({
    where: { id: { in: ids }, deletedAt: null },
    select: { id: true },
  })
  const existing = new Set(found.map(({ id }) => id))
  for (const id of ids) if (!existing.has(id)) inboxes.delete(id)
}

/** Does so every minute. A look that fails is made again. */
export function forgetDeletedRegularly(db: Db, inboxes: Inboxes): Disposable {
  const timer = setInterval(() => forgetDeleted(db, inboxes).catch(() => {}), EVERY_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
