import type { LiveEvent, LiveHealth } from './live-event.ts'

/** The Postgres channel of all live events. */
export const CHANNEL = 'posthorn_live'

/** Postgres accepts fewer than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900

/** A decoded payload: live events, or the range of attempt ids if there are too many attempts for one payload. */
export type Message =
  | { readonly kind: 'liveEvents'; readonly liveEvents: LiveEvent[] }
  | { readonly kind: 'range'; readonly firstAttemptId: string; readonly lastAttemptId: string }

/**
 * Encodes live events as notification payloads. Attempts take at most one payload, which lists about 170 attempts of one
 * webhook. If there are more, it contains the first and the last id instead.
 */
export function encodePayloads(liveEvents: readonly LiveEvent[]): string[] {
  const attempts = liveEvents.filter(({ kind }) => kind === 'attempt')
  const others = liveEvents.filter(({ kind }) => kind !== 'attempt')
  const [payload, ...more] = encodeAll(attempts)
  if (payload === undefined) return encodeAll(others)
  if (more.length === 0) return others.length === 0 ? [payload] : encodeAll(liveEvents)
  return [encodeRange(attempts), ...encodeAll(others)]
}

export function decodePayload(payload: string): Message {
  const reader = createReader(payload)
  if (payload.startsWith(RANGE)) {
    reader.read(RANGE.length)
    return { kind: 'range', firstAttemptId: reader.uuid(), lastAttemptId: reader.uuid() }
  }
  const liveEvents: LiveEvent[] = []
  while (!reader.atEnd()) liveEvents.push(...decodeLine(reader))
  return { kind: 'liveEvents', liveEvents }
}

/*
 * The format has one line per webhook: the uuids of its organization and of the webhook, then for each live event a
 * one-letter code and its other uuids. A uuid takes 22 characters, as base64url.
 */

const UUID_LENGTH = 22
const END_OF_LINE = '\n'
const RANGE = '*'
const HEALTH_OF_CODE: Readonly<Record<string, LiveHealth>> = {
  h: 'healthy',
  x: 'failing',
  b: 'on_hold',
  d: 'disabled',
}
const CODE_OF_HEALTH: Readonly<Record<LiveHealth, string>> = {
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
  if (liveEvent.kind === 'health') return CODE_OF_HEALTH[liveEvent.health]
  if (liveEvent.kind === 'canceled') return `c${encodeUuid(liveEvent.deliveryId)}`
  if (liveEvent.kind === 'forwarded') return `r${encodeUuid(liveEvent.requestId)}`
  const code = liveEvent.succeeded
    ? liveEvent.finished
      ? 's'
      : 't'
    : liveEvent.finished
      ? 'f'
      : 'a'
  return code + encodeUuid(liveEvent.deliveryId) + encodeUuid(liveEvent.attemptId)
}

function encodeRange(attempts: readonly LiveEvent[]): string {
  const ids = attempts
    .flatMap((liveEvent) => (liveEvent.kind === 'attempt' ? liveEvent.attemptId : []))
    .sort()
  return RANGE + encodeUuid(ids[0] as string) + encodeUuid(ids.at(-1) as string)
}

function* decodeLine(reader: Reader): Generator<LiveEvent> {
  const webhook = { organizationId: reader.uuid(), webhookId: reader.uuid() }
  for (;;) {
    if (reader.atEnd()) return
    const code = reader.read(1)
    if (code === END_OF_LINE) return
    const health = HEALTH_OF_CODE[code]
    if (health) yield { kind: 'health', ...webhook, health }
    else if (code === 'c') yield { kind: 'canceled', ...webhook, deliveryId: reader.uuid() }
    else if (code === 'r') yield { kind: 'forwarded', ...webhook, requestId: reader.uuid() }
    else if ('afts'.includes(code)) {
      const outcome = { succeeded: 'st'.includes(code), finished: 'fs'.includes(code) }
      const ids = { deliveryId: reader.uuid(), attemptId: reader.uuid() }
      yield { kind: 'attempt', ...webhook, ...ids, ...outcome }
    } else {
      throw new Error(
        `A notification on ${CHANNEL} has the unknown code ${JSON.stringify(code)}. Do all processes run the same version of Posthorn?`,
      )
    }
  }
}

type Reader = ReturnType<typeof createReader>

function createReader(text: string) {
  let position = 0
  const read = (length: number) => {
    const part = text.slice(position, position + length)
    if (part.length < length) throw new Error(`A notification on ${CHANNEL} is too short.`)
    position += length
    return part
  }
  return { read, uuid: () => decodeUuid(read(UUID_LENGTH)), atEnd: () => position >= text.length }
}

function encodeUuid(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeUuid(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
