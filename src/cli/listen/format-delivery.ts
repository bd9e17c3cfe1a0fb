import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { parseKeepingDigits } from '../../lib/exact-json.ts'
import { LruMap } from '../../lib/lru-map.ts'
import type { LocalAnswer } from './send-local.ts'
import { escapeControls } from './terminal.ts'

/** Whether a delivery is authentic, and why not. Null if there is no secret to verify with. */
export interface Verification {
  readonly verified: boolean | null
  readonly reason: string | null
}

/** A received delivery, with the result of its verification and the status of the response. */
export interface ReceivedDelivery extends Verification {
  readonly time: Date
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Null if it is too large. */
  readonly body: Buffer | null
  /** The status of the response. Null if a local server gave none. */
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
      ...parseBody(body?.toString() ?? ''),
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
  /** As parsed, or the text of what is no JSON. */
  readonly body: unknown
  /** The same with line breaks. */
  readonly lines: string
}

const HTTP_HEADERS =
  /^(accept(-encoding|-language)?|connection|content-(length|type)|host|keep-alive|sec-fetch-mode|transfer-encoding|user-agent)$/

function customHeaders(headers: ReceivedDelivery['headers'], headerPrefix: string) {
  const custom = Object.entries(headers).filter(
    ([name]) => !HTTP_HEADERS.test(name) && !name.startsWith(headerPrefix),
  )
  return Object.fromEntries(custom.map(([name, value]) => [name, String(value)]))
}

/** Several lines for people, in color if stdout is a terminal and NO_COLOR is not set. */
function toText(delivery: Shown, headerPrefix: string): string {
  const { id, arrivals, signature, isTest, lines, local } = delivery
  const event = Object(delivery.body) as { readonly id?: unknown; readonly type?: unknown }
  const repeat = arrivals > 1 ? ` (received ${arrivals} times)` : ''
  const rows: [string, string | null][] = [
    ['reason', delivery.reason],
    [`${headerPrefix}id`, id && `${id}${repeat}`],
    [`${headerPrefix}timestamp`, withAge(delivery)],
    [`${headerPrefix}signature`, signature && shorten(signature)],
    [`${headerPrefix}test`, isTest ? 'true' : null],
    ['event', typeof event.id === 'string' ? event.id : null],
    ...Object.entries(delivery.headers),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const time = styleText('dim', delivery.time.toTimeString().slice(0, 8))
  const type = typeof event.type === 'string' ? escapeControls(event.type) : ''
  return [
    [time, formatResult(delivery), type].join('  '),
    ...rows.flatMap(([name, value]) => {
      const label = styleText('dim', escapeControls(name).padEnd(width))
      return value === null ? [] : `  ${label}  ${escapeControls(value)}`
    }),
    ...indented(lines),
    ...formatAnswer(delivery.answered, local).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

/** One line of JSON for programs. */
function toJson({ local, lines: _, ...fields }: Shown): string {
  const { status, body, durationMs, errorCode } = local?.answer ?? {}
  const answer = local && { response: status === null ? null : body, durationMs, errorCode }
  return escapeControls(JSON.stringify({ ...fields, ...answer }))
}

function formatResult({ verified }: Verification): string {
  if (verified === null) return styleText('yellow', '? not verified')
  return verified ? styleText('green', '✔ verified') : styleText('red', '✘ rejected')
}

const indented = (text: string) =>
  text.split('\n').map((line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`)

function withAge({ timestamp, time }: Shown): string | null {
  if (timestamp === null || !/^\d{1,12}$/.test(timestamp)) return timestamp
  const seconds = Math.floor(time.getTime() / 1000) - Number(timestamp)
  return `${timestamp} (${seconds < 0 ? `${-seconds} s ahead` : `${seconds} s ago`})`
}

/** Each entry with its beginning and its end. */
const shorten = (signature: string) => signature.replaceAll(/(\S{11})\S{5,}(\S{5})/g, '$1…$2')

function parseBody(text: string): Pick<Shown, 'body' | 'lines'> {
  try {
    const body = parseKeepingDigits(text)
    return { body, lines: JSON.stringify(body, null, 2) }
  } catch {
    return { body: text, lines: text }
  }
}

/** Characters of the body of an answer that people see. */
const MAX_BODY_LENGTH = 1_000

/** The status, of a local server with the start of its answer, or why there is none. */
function formatAnswer(status: number | null, local: ReceivedDelivery['local']): string[] {
  const { errorCode = null, durationMs, body = '' } = local?.answer ?? {}
  if (status === null) {
    const what = `✘ no answer from ${local?.url}: ${errorCode}, after ${durationMs} ms.`
    return [styleText('red', what + hintOf(errorCode))]
  }
  const name = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
  const answered = styleText(status < 300 ? 'green' : 'red', `← answered ${name}`)
  const text = body.slice(0, MAX_BODY_LENGTH).trimEnd()
  return [
    local ? `${answered} by ${local.url} in ${durationMs} ms` : answered,
    ...(text === '' ? [] : indented(text)),
  ]
}

function hintOf(errorCode: string | null): string {
  if (errorCode === 'ECONNREFUSED') return ' Is your server running?'
  return /CERT|ALTNAME|UNABLE_TO/.test(errorCode ?? '')
    ? ' Node does not trust the certificate: name its authority in NODE_EXTRA_CA_CERTS, or accept any with --insecure.'
    : ''
}
