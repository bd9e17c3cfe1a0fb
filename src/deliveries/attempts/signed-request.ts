import type { KeyObject } from 'node:crypto'
import { publicId } from '../../db/ids.ts'
import { type DeliveredEvent, deliveryBody } from '../../events/delivery-body.ts'
import { signDelivery } from '../../receiver/sign.ts'

/** The names of the headers that Posthorn adds to each delivery. */
export interface DeliveryHeaderNames {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

export function deliveryHeaderNames(prefix: string): DeliveryHeaderNames {
  return {
    id: `${prefix}id`,
    timestamp: `${prefix}timestamp`,
    signature: `${prefix}signature`,
  }
}

export interface SignedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signature: string
  readonly customHeaderNames: readonly string[]
}

interface UnsignedRequest {
  readonly deliveryUuid: string
  readonly event: DeliveredEvent
  readonly traceParent: string | null
  readonly url: string
  readonly customHeaders: Readonly<Record<string, string>>
  readonly startedAt: Date
}

export function signRequest(
  names: DeliveryHeaderNames,
  key: KeyObject,
  { deliveryUuid, event, traceParent, url, customHeaders, startedAt }: UnsignedRequest,
): SignedRequest {
  const deliveryId = publicId('delivery', deliveryUuid)
  const bytes = Buffer.from(deliveryBody(event))
  const timestamp = String(Math.floor(startedAt.getTime() / 1_000))
  const signature = signDelivery(key, deliveryId, timestamp, bytes)
  const own: Record<string, string> = {
    'content-type': 'application/json',
    [names.id]: deliveryId,
    [names.timestamp]: timestamp,
    [names.signature]: signature,
  }
  if (traceParent !== null) own['traceparent'] = traceParent
  const custom = omitOverridden(own, customHeaders)
  const customHeaderNames = Object.keys(custom)
  const headers = customHeaderNames.length === 0 ? own : { ...custom, ...own }
  return { url, headers, body: bytes, signature, customHeaderNames }
}

/** A receiver joins the values of a repeated header, in any case of its name, so the signature would not verify. */
function omitOverridden(
  own: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isOwn = (name: string) => Object.hasOwn(own, name.toLowerCase())
  if (!Object.keys(headers).some(isOwn)) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name)))
}
