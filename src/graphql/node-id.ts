import { type IdKind, parseId, publicId } from '../db/ids.ts'

/** The node types with TypeIDs. */
const KINDS: ReadonlyMap<string, IdKind> = new Map([
  ['Organization', 'organization'],
  ['ApiKey', 'apiKey'],
  ['Webhook', 'webhook'],
  ['Event', 'event'],
  ['Delivery', 'delivery'],
  ['Attempt', 'attempt'],
  ['BulkTask', 'bulkTask'],
  ['AuditEntry', 'auditEntry'],
  ['Incident', 'incident'],
  ['Consumer', 'consumer'],
])

/** The key of an event type is its name, so its id is the name with this prefix. */
const EVENT_TYPE_PREFIX = 'type_'

/** The Relay global id is the TypeID, so that one string identifies an object everywhere. */
export function encodeNodeId(typename: string, id: string | number | bigint): string {
  const kind = KINDS.get(typename)
  return kind ? publicId(kind, String(id)) : `${EVENT_TYPE_PREFIX}${id}`
}

/** An id of no node is read as that of an event type without a name, which does not exist. */
export function decodeNodeId(id: string): { typename: string; id: string } {
  for (const [typename, kind] of KINDS) {
    const uuid = parseId(kind, id)
    if (uuid) return { typename, id: uuid }
  }
  const name = id.startsWith(EVENT_TYPE_PREFIX) ? id.slice(EVENT_TYPE_PREFIX.length) : ''
  // Postgres does not accept NUL in text, and no name contains one.
  return { typename: 'EventType', id: name.replaceAll('\0', '') }
}
