import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import type { Inbox } from './received-requests.ts'

/** Removes the contents of requests whose deliveries were erased since they arrived. */
export async function forgetErased(sql: Sql, inbox: Inbox): Promise<void> {
  const uuidOf = (id: string | null) => (id === null ? null : parseId('delivery', id))
  const uuids = inbox.requests
    .map(({ deliveryId }) => uuidOf(deliveryId))
    .filter((id) => id !== null)
  if (uuids.length === 0) return
  const erased = await selectIds(
    sql,
    'select id from posthorn.deliveries where id = any ($1::uuid[]) and is_erased',
    [uuids],
  )
  if (erased.size === 0) return
  inbox.requests = inbox.requests.map((request) =>
    erased.has(uuidOf(request.deliveryId) ?? '')
      ? { ...request, headers: [], body: '', bodyTruncated: false }
      : request,
  )
}
