import { type IdKind, parseId, publicId } from '../db/ids.ts'

/** The types whose rows have TypeIDs. The one other node, EventType, is known by its name. */
const KINDS: ReadonlyMap<string, IdKind> = new Map([
  ['Organization', 'organization'],
  ['ApiKey', 'apiKey'],
  ['Webhook', 'webhook'],
  ['Event', 'event'],
  ['Delivery', 'delivery'],
  ['Attempt', 'attempt'],
  ['Recovery', 'recovery'],
  ['AuditEntry', 'auditEntry'],
])

/** The TypeID is the global id of Relay, so that one string names a thing everywhere. */
export function encodeNodeId(typename: string, id: string | number | bigint): string {
  const kind = KINDS.get(typename)
  return kind ? publicId(kind, String(id)) : String(id)
}

/** Whatever is no TypeID of ours can only be the name of an event type; if there is none, nothing is found. */
export function decodeNodeId(id: string): { typename: string; id: string } {
  for (const [typename, kind] of KINDS) {
    const uuid = parseId(kind, id)
    if (uuid) return { typename, id: uuid }
  }
  // Postgres takes no NUL in a text, and no name has one.
  return { typename: 'EventType', id: id.replaceAll('\0', '') }
}
