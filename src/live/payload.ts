import type { LiveEvent, LiveHealth } from './live-event.ts'

/** The channel of Postgres that all of it goes through. */
export const CHANNEL = 'posthorn_live'

/** Postgres takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900

/** What a notification says: what happened or, where that is too much, between which ids the attempts lie. */
export type Message =
  | { readonly kind: 'liveEvents'; readonly liveEvents: LiveEvent[] }
  | { readonly kind: 'many'; readonly firstAttemptId: string; readonly lastAttemptId: string }

/**
 * The payloads of the notifications that tell of it. Attempts take one at most, however many there are: some 170 of one
 * webhook are named, and of more only the first and the last.
 */
export function encodePayloads(liveEvents: readonly LiveEvent[]): string[] {
  const attempts = liveEvents.filter(({ kind }) => kind === 'attempt')
  const others = liveEvents.filter(({ kind }) => kind !== 'attempt')
  const [payload, ...more] = encodeAll(attempts)
  if (payload === undefined) return encodeAll(others)
  if (more.length === 0) return others.length === 0 ? [payload] : encodeAll(liveEvents)
  return [encodeMany(attempts), ...encodeAll(others)]
}

export function decodePayload(payload: string): Message {
  const read = reader(payload)
  if (payload.startsWith(MANY)) {
    read.take(MANY.length)
    return { kind: 'many', firstAttemptId: read.uuid(), lastAttemptId: read.uuid() }
  }
  const liveEvents: LiveEvent[] = []
  while (!read.atEnd()) liveEvents.push(...decodeLine(read))
  return { kind: 'liveEvents', liveEvents }
}

/*
 * A line for each webhook: the uuids of its organization and its own, then for each thing that happened a letter and
 * uuids. A uuid is 22 characters, its bytes in base64url.
 */

const UUID_LENGTH = 22
const END_OF_LINE = '\n'
const MANY = '*'
const HEALTH: Readonly<Record<string, LiveHealth>> = {
  h: 'healthy',
  x: 'failing',
  b: 'on_hold',
  d: 'disabled',
}
const LETTER_OF: Readonly<Record<LiveHealth, string>> = {
  healthy: 'h',
  failing: 'x',
  on_hold: 'b',
  disabled: 'd',
}

function encodeAll(liveEvents: readonly LiveEvent[]): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const [webhook, entries] of byWebhook(liveEvents)) {
    let line = ''
    for (const entry of entries) {
      const start = line === '' ? webhook : ''
      if (payload.length + line.length + start.length + entry.length >= MAX_PAYLOAD_BYTES) {
        payloads.push(payload + line)
        payload = ''
        line = webhook + entry
      } else line += start + entry
    }
    payload += line + END_OF_LINE
  }
  return payload === '' ? payloads : [...payloads, payload]
}

function byWebhook(liveEvents: readonly LiveEvent[]): Map<string, string[]> {
  const lines = new Map<string, string[]>()
  for (const liveEvent of liveEvents) {
    const webhook = encodeUuid(liveEvent.organizationId) + encodeUuid(liveEvent.webhookId)
    const entries = lines.get(webhook)
    if (entries) entries.push(encodeEntry(liveEvent))
    else lines.set(webhook, [encodeEntry(liveEvent)])
  }
  return lines
}

function encodeEntry(liveEvent: LiveEvent): string {
  if (liveEvent.kind === 'health') return LETTER_OF[liveEvent.health]
  if (liveEvent.kind === 'canceled') return `c${encodeUuid(liveEvent.deliveryId)}`
  const letter = liveEvent.succeeded
    ? liveEvent.finished
      ? 's'
      : 't'
    : liveEvent.finished
      ? 'f'
      : 'a'
  return letter + encodeUuid(liveEvent.deliveryId) + encodeUuid(liveEvent.attemptId)
}

function encodeMany(attempts: readonly LiveEvent[]): string {
  const ids = attempts.flatMap((one) => (one.kind === 'attempt' ? one.attemptId : [])).sort()
  return MANY + encodeUuid(ids[0] as string) + encodeUuid(ids.at(-1) as string)
}

function* decodeLine(read: Reader): Generator<LiveEvent> {
  const webhook = { organizationId: read.uuid(), webhookId: read.uuid() }
  for (;;) {
    if (read.atEnd()) return
    const letter = read.take(1)
    if (letter === END_OF_LINE) return
    const health = HEALTH[letter]
    if (health) yield { kind: 'health', ...webhook, health }
    else if (letter === 'c') yield { kind: 'canceled', ...webhook, deliveryId: read.uuid() }
    else if ('afts'.includes(letter)) {
      const outcome = { succeeded: 'st'.includes(letter), finished: 'fs'.includes(letter) }
      const ids = { deliveryId: read.uuid(), attemptId: read.uuid() }
      yield { kind: 'attempt', ...webhook, ...ids, ...outcome }
    } else throw new Error('A notification is not of this version of Posthorn.')
  }
}

type Reader = ReturnType<typeof reader>

function reader(text: string) {
  let position = 0
  const take = (length: number) => {
    const taken = text.slice(position, position + length)
    if (taken.length < length) throw new Error('A notification ends too early.')
    position += length
    return taken
  }
  return { take, uuid: () => decodeUuid(take(UUID_LENGTH)), atEnd: () => position >= text.length }
}

function encodeUuid(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeUuid(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
