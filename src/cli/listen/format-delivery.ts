import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { escapeControls } from './log.ts'
import type { ReceivedDelivery } from './received-delivery.ts'

/** Several lines for people, in color if stdout is a terminal and NO_COLOR is not set. */
export function formatDelivery(delivery: ReceivedDelivery, headerPrefix: string): string {
  const event = readEvent(delivery.body)
  const { verification } = delivery
  const rows: [string, string | null][] = [
    ['reason', verification.kind === 'rejected' ? verification.message : null],
    [`${headerPrefix}id`, withRepeat(delivery)],
    [`${headerPrefix}timestamp`, withAge(delivery)],
    [`${headerPrefix}signature`, delivery.signature && shorten(delivery.signature)],
    [`${headerPrefix}test`, delivery.isTest ? 'true' : null],
    ['event', event.id],
    ...Object.entries(delivery.headers),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    [
      formatTime(delivery.receivedAt),
      formatResult(delivery),
      escapeControls(event.type ?? ''),
    ].join('  '),
    ...rows
      .filter(([, value]) => value !== null)
      .map(([name, value]) => {
        const label = styleText('dim', escapeControls(name).padEnd(width))
        return `  ${label}  ${escapeControls(value ?? '')}`
      }),
    ...prettyBody(delivery.body)
      .split('\n')
      .map((line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`),
    ...(delivery.local ? formatLocalAnswer(delivery.local) : [formatResponse(delivery)]).map(
      (line) => `  ${line}`,
    ),
    '',
  ].join('\n')
}

/** One line of JSON for programs. `body` is the parsed body, or a string if it is not JSON. */
export function formatDeliveryAsJson(delivery: ReceivedDelivery): string {
  const { receivedAt, verification, id, timestamp, signature, isTest, arrivals, headers } = delivery
  const { body, answered } = delivery
  const fields = {
    time: receivedAt.toISOString(),
    verified: verification.kind === 'unverified' ? null : verification.kind === 'verified',
    reason: verification.kind === 'rejected' ? verification.message : null,
    ...{ id, timestamp, signature, isTest, arrivals, headers, answered },
    ...(delivery.local && localFields(delivery.local)),
  }
  try {
    return escapeControls(JSON.stringify({ ...fields, body: parseExactly(body) }))
  } catch {
    return escapeControls(JSON.stringify({ ...fields, body }))
  }
}

function formatTime(date: Date): string {
  return styleText('dim', date.toTimeString().slice(0, 8))
}

function formatResult({ verification }: ReceivedDelivery): string {
  if (verification.kind === 'verified') return styleText('green', '✔ verified')
  if (verification.kind === 'unverified') return styleText('yellow', '? not verified')
  return styleText('red', '✘ rejected')
}

function withRepeat({ id, arrivals }: ReceivedDelivery): string | null {
  if (id === null || arrivals === 1) return id
  return `${id} (received for the ${ordinal(arrivals)} time)`
}

function ordinal(count: number): string {
  const suffix = { one: 'st', two: 'nd', few: 'rd' }[
    new Intl.PluralRules('en', { type: 'ordinal' }).select(count) as 'one'
  ]
  return `${count}${suffix ?? 'th'}`
}

function withAge({ timestamp, receivedAt }: ReceivedDelivery): string | null {
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp)) return timestamp
  const seconds = Math.floor(receivedAt.getTime() / 1000) - Number(timestamp)
  return `${timestamp} (${seconds < 0 ? `${-seconds} s ahead` : `${seconds} s ago`})`
}

function shorten(signature: string): string {
  const entries = signature.split(' ')
  const first = entries.slice(0, 3).map((entry) => {
    return entry.length > 20 ? `${entry.slice(0, 11)}…${entry.slice(-5)}` : entry
  })
  return first.join(' ') + (entries.length > 3 ? ` and ${entries.length - 3} more` : '')
}

function readEvent(body: string): { id: string | null; type: string | null } {
  try {
    const { id, type } = JSON.parse(body)
    return {
      id: typeof id === 'string' ? id : null,
      type: typeof type === 'string' ? type : null,
    }
  } catch {
    return { id: null, type: null }
  }
}

function prettyBody(body: string): string {
  try {
    return JSON.stringify(parseExactly(body), null, 2)
  } catch {
    return body
  }
}

/** Keeps the digits of numbers; JSON.parse alone would turn 9007199254740993 into …992. */
function parseExactly(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return JSON.parse(text, (_key, value: unknown, context?: { source: string }) => {
    return typeof value === 'number' && context ? rawJSON(context.source) : value
  })
}

function formatResponse({ answered }: ReceivedDelivery): string {
  if (answered === null) return styleText('yellow', '← not answered: the sender disconnected')
  return styleText(answered < 300 ? 'green' : 'red', `← answered ${statusText(answered)}`)
}

type Local = NonNullable<ReceivedDelivery['local']>

/** Characters of the body of an answer that people see. */
const MAX_BODY_LENGTH = 1_000

/** The answer with the start of its body, or why there is none. */
function formatLocalAnswer({ url, answer }: Local): string[] {
  const { status, errorCode, durationMs } = answer
  if (status === null) {
    const what = `✘ no answer from ${url}: ${errorCode}, after ${durationMs} ms.${hintOf(errorCode)}`
    return [styleText('red', what)]
  }
  const color = status < 300 ? 'green' : 'red'
  const text = answer.body.toString().slice(0, MAX_BODY_LENGTH).trimEnd()
  return [
    `${styleText(color, `← answered ${statusText(status)}`)} by ${url} in ${durationMs} ms`,
    ...(text === '' ? [] : text.split('\n')).map(
      (line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`,
    ),
  ]
}

function hintOf(errorCode: string | null): string {
  if (errorCode === 'ECONNREFUSED') return ' Is your server running?'
  return /CERT|ALTNAME|UNABLE_TO/.test(errorCode ?? '')
    ? ' Node does not trust the certificate: name its authority in NODE_EXTRA_CA_CERTS, or accept any with --insecure.'
    : ''
}

/** The fields for programs. */
function localFields({ answer: { status, body, durationMs, errorCode } }: Local) {
  return { response: status === null ? null : body.toString(), durationMs, errorCode }
}

/** A status for people, such as `503 Service Unavailable`. */
function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}
