import { canonicalJson } from './canonical-json.ts'
import { EventsError, invalidParams } from './events-error.ts'
import type { Ttl } from './options.ts'

/** Parameters that name a subscription. Unknown fields are ignored, as the sketch grows. */
export interface KeyParams {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** As the URL standard writes it. */
  readonly url: string
}

export interface SubscribeParams extends KeyParams {
  readonly secret: string
  readonly ttlMs: number
}

const MAX_ARGUMENTS = 4_096

export function readKey(params: unknown): KeyParams {
  const { name, arguments: given, delivery } = Object(params)
  if (typeof name !== 'string' || name === '') throw invalidParams('name', 'must be a text.')
  return { name, arguments: readArguments(given), url: readUrl(Object(delivery).url) }
}

export function readSubscribe(params: unknown, ttl: Ttl): SubscribeParams {
  const { delivery, ttlMs } = Object(params)
  const { mode, secret } = Object(delivery)
  if (mode !== undefined && mode !== 'webhook') {
    const data = { feature: 'deliveryMode', value: String(mode).slice(0, 64) }
    throw new EventsError('unsupported', 'delivery.mode must be webhook.', data)
  }
  const key = readKey(params)
  if (!isSecret(secret)) {
    throw invalidParams(
      'delivery.secret',
      'must be whsec_ and 24 to 64 bytes in base64 with padding.',
    )
  }
  return { ...key, secret, ttlMs: grantedTtl(ttlMs, ttl) }
}

function readArguments(given: unknown): Readonly<Record<string, unknown>> {
  if (given == null) return {}
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalidParams('arguments', 'must be an object.')
  }
  for (const [name, value] of Object.entries(given)) {
    if (!isScalar(value)) {
      const field = `arguments.${name.slice(0, 64)}`
      throw invalidParams(field, 'must be a text, a finite number, true or false.')
    }
  }
  if (canonicalJson(given).length > MAX_ARGUMENTS) {
    throw invalidParams('arguments', `must have at most ${MAX_ARGUMENTS} characters.`)
  }
  return given as Readonly<Record<string, unknown>>
}

/** A number such as 1e999 has no text in JSON. */
function isScalar(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' || typeof value === 'boolean'
}

function readUrl(given: unknown): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null
  if (url?.protocol !== 'https:') throw invalidParams('delivery.url', 'must be an https URL.')
  return url.href
}

function isSecret(given: unknown): given is string {
  if (typeof given !== 'string' || !given.startsWith('whsec_')) return false
  const encoded = given.slice('whsec_'.length)
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false
  const { length } = atob(encoded)
  return length >= 24 && length <= 64
}

/** The wish within the bounds. No wish is refused: the answer says what was granted. */
function grantedTtl(wish: unknown, { defaultMs, minMs, maxMs }: Ttl): number {
  if (wish === undefined) return defaultMs
  if (wish === null) return maxMs
  if (typeof wish !== 'number') throw invalidParams('ttlMs', 'must be a number or null.')
  return Math.min(Math.max(wish, minMs), maxMs)
}
