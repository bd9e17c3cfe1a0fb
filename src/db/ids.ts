import { v7 as uuidV7 } from 'uuid'
import { decodeTypeId, encodeTypeId } from '../lib/type-id.ts'

/** The prefix of each kind of public id: a TypeID (https://github.com/jetify-com/typeid), stored as a `uuid`. */
export const ID_PREFIXES = {
  organization: 'org',
  webhook: 'wh',
  event: 'evt',
  delivery: 'msg',
  attempt: 'att',
  apiKey: 'key',
  signingSecret: 'sec',
  bulkTask: 'task',
  auditEntry: 'aud',
  forwardedRequest: 'fwd',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** A new public id. Ids ascend with the time of their creation. */
export function mintId(kind: IdKind): string {
  return publicId(kind, uuidV7())
}

/** `0190…-…` -> `wh_…` */
export function publicId(kind: IdKind, uuid: string): string {
  return encodeTypeId(ID_PREFIXES[kind], uuid)
}

/** `wh_…` -> its uuid, or `null` for anything that is not an id of that kind. */
export function parseId(kind: IdKind, id: string): string | null {
  return decodeTypeId(ID_PREFIXES[kind], id)
}
