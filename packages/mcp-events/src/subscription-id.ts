import { canonicalJson } from './canonical-json.ts'

/** What a subscription is: who asks, where it delivers, and what it listens for. */
export interface SubscriptionKey {
  readonly principal: string
  readonly url: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The id of a subscription, the same for the same key: it is the uid of the webhook. It authorizes nothing. */
export async function subscriptionId(key: SubscriptionKey): Promise<string> {
  return `sub_${(await sha256(canonicalJson(key))).slice(0, 40)}`
}

/** In hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
