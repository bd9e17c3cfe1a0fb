import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { LruMap } from '../../lib/lru-map.ts'
import type { LocalAnswer } from './send-local.ts'
import { escapeControls } from './terminal.ts'

export type Verification =
  | { readonly kind: 'verified' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** There is no secret to verify with. */
  | { readonly kind: 'unverified' }

/** A received delivery, with the result of its verification and the status of the response. */
export interface ReceivedDelivery {
  readonly receivedAt: Date
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly verification: Verification
  /** Null if it is too large. */
  readonly body: Buffer | null
  /** The status of the response, or `null` if there was none. */
  readonly answered: number | null
  /** With `--forward`: what the local server answered. */
  readonly local?: {
    readonly url: string
    readonly answer: LocalAnswer
  }
}

/** The number of ids of deliveries that a listener remembers. */
export const MAX_IDS = 10_000

/** Prints deliveries on stdout: each as several lines for people, or as one line of JSON. */
export function createPrinter(headerPrefix: string, json = false) {
  const arrivalsById = new LruMap<string, number>({ maxEntries: MAX_IDS })
  return (delivery: ReceivedDelivery): void => {
    const { headers, body } = delivery
    const read = (name: string) => headers[headerPrefix + name]?.toString() ?? null
    const id = read('id')
    const arrivals = id === null ? 1 : (arrivalsById.get(id) ?? 0) + 1
    if (id !== null) arrivalsById.set(id, arrivals)
    const signed = { id, timestamp: read('timestamp'), signature: read('signature') }
    const shown = {
      ...{ ...delivery, ...signed, arrivals, isTest: read('test') === 'true' },
      headers: customHeaders(headers, headerPrefix),
      body: body?.toString() ?? '',
    }
    process.stdout.write(`${json ? toJson(shown) : toText(shown, headerPrefix)}\n`)
  }
}

interface Shown extends Omit<ReceivedDelivery, 'headers' | 'body'> {
  readonly id: string | null
  readonly timestamp: string | null
  readonly signature: string | null
  /** How often a delivery with this id has arrived, this one included. */
  readonly arrivals: number
  readonly isTest: boolean
  /** All headers except the standard HTTP and signature headers, so mostly the webhook's custom headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const HTTP_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'sec-fetch-mode',
  'transfer-encoding',
  'user-agent',
])

function customHeaders(headers: ReceivedDelivery['headers'], headerPrefix: string) {
  const custom = Object.entries(headers).filter(
    ([name]) => !HTTP_HEADERS.has(name) && !name.startsWith(headerPrefix),
  )
  return Object.fromEntries(custom.map(([name, value]) => [name, String(value)]))
}

/** Several lines for people, in color if stdout is a terminal and NO_COLOR is not set. */
function toText(delivery: Shown, headerPrefix: string): string {
  const { verification, id, arrivals, signature, isTest, body, local } = delivery
  const event = readEvent(body)
  const repeat = arrivals > 1 ? ` (received ${arrivals} times)` : ''
  const rows: [string, string | null][] = [
    ['reason', verification.kind === 'rejected' ? verification.message : null],
    [`${headerPrefix}id`, id && `${id}${repeat}`],
    [`${headerPrefix}timestamp`, withAge(delivery)],
    [`${headerPrefix}signature`, signature && shorten(signature)],
    [`${headerPrefix}test`, isTest ? 'true' : null],
    ['event', event.id],
    ...Object.entries(delivery.headers),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const time = styleText('dim', delivery.receivedAt.toTimeString().slice(0, 8))
  return [
    [time, formatResult(verification), escapeControls(event.type ?? '')].join('  '),
    ...rows.flatMap(([name, value]) => {
      const label = styleText('dim', escapeControls(name).padEnd(width))
      return value === null ? [] : `  ${label}  ${escapeControls(value)}`
    }),
    ...indented(prettyBody(body)),
    ...(local ? formatLocalAnswer(local) : [formatResponse(delivery)]).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

/** One line of JSON for programs. `body` is the parsed body, or a string if it is not JSON. */
function toJson({ receivedAt, verification, local, body, ...others }: Shown): string {
  const { status, body: response, durationMs, errorCode } = local?.answer ?? {}
  const fields = {
    ...others,
    time: receivedAt.toISOString(),
    verified: verification.kind === 'unverified' ? null : verification.kind === 'verified',
    reason: verification.kind === 'rejected' ? verification.message : null,
    ...(local && { response: status === null ? null : response, durationMs, errorCode }),
  }
  try {
    return escapeControls(JSON.stringify({ ...fields, body: parseExactly(body) }))
  } catch {
    return escapeControls(JSON.stringify({ ...fields, body }))
  }
}

function formatResult({ kind }: Verification): string {
  if (kind === 'verified') return styleText('green', '✔ verified')
  if (kind === 'unverified') return styleText('yellow', '? not verified')
  return styleText('red', '✘ rejected')
}

const indented = (text: string) =>
  text.split('\n').map((line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`)

function withAge({ timestamp, receivedAt }: Shown): string | null {
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
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  try {
    const { id, type } = JSON.parse(body)
    return { id: text(id), type: text(type) }
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

function formatResponse({ answered }: Shown): string {
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
  const text = answer.body.slice(0, MAX_BODY_LENGTH).trimEnd()
  return [
    `${styleText(color, `← answered ${statusText(status)}`)} by ${url} in ${durationMs} ms`,
    ...(text === '' ? [] : indented(text)),
  ]
}

function hintOf(errorCode: string | null): string {
  if (errorCode === 'ECONNREFUSED') return ' Is your server running?'
  return /CERT|ALTNAME|UNABLE_TO/.test(errorCode ?? '')
    ? ' Node does not trust the certificate: name its authority in NODE_EXTRA_CA_CERTS, or accept any with --insecure.'
    : ''
}

/** A status for people, such as `503 Service Unavailable`. */
function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
}
