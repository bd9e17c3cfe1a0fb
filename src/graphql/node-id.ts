import { type IdKind, parseId, publicId } from '../db/ids.ts'

/** The node types with TypeIDs. The id of the only other node type, EventType, is its name. */
const KINDS: ReadonlyMap<string, IdKind> = new Map([
  ['Organization', 'organization'],
  ['ApiKey', 'apiKey'],
  ['Webhook', 'webhook'],
  ['Event', 'event'],
  ['Delivery', 'delivery'],
  ['Attempt', 'attempt'],
  ['BulkTask', 'bulkTask'],
  ['AuditEntry', 'auditEntry'],
])

/** The Relay global id is the TypeID, so that one string identifies an object everywhere. */
export function encodeNodeId(typename: string, id: string | number | bigint): string {
  const kind = KINDS.get(typename)
  return kind ? publicId(kind, String(id)) : String(id)
}

/** An id that is no TypeID is read as the name of an event type. */
export function decodeNodeId(id: string): { typename: string; id: string } {
  for (const [typename, kind] of KINDS) {
    const uuid = parseId(kind, id)
    if (uuid) return { typename, id: uuid }
  }
  // Postgres does not accept NUL in text, and no name contains one.
  return { typename: 'EventType', id: id.replaceAll('\0', '') }
}
