import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { escapeControls } from './escape-controls.ts'
import type { ReceivedDelivery } from './received-delivery.ts'

/** A block for people to read, in color where stdout is a terminal and NO_COLOR is not set. */
export function formatDelivery(delivery: ReceivedDelivery, headerPrefix: string): string {
  const event = readEvent(delivery.body)
  const { verdict } = delivery
  const rows: [string, string | null][] = [
    ['reason', verdict.kind === 'rejected' ? verdict.message : null],
    [`${headerPrefix}id`, withRepeat(delivery)],
    [`${headerPrefix}timestamp`, withAge(delivery)],
    [`${headerPrefix}signature`, delivery.signature && shortened(delivery.signature)],
    ['event', event.id],
    ...Object.entries(delivery.headers),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    [timeOf(delivery.receivedAt), verdictOf(delivery), escapeControls(event.type ?? '')].join('  '),
    ...rows
      .filter(([, value]) => value !== null)
      .map(([name, value]) => {
        const label = styleText('dim', escapeControls(name).padEnd(width))
        return `  ${label}  ${escapeControls(value ?? '')}`
      }),
    ...prettyBody(delivery.body)
      .split('\n')
      .map((line) => `  ${styleText('dim', '│')} ${escapeControls(line)}`),
    `  ${answerOf(delivery)}`,
    '',
  ].join('\n')
}

/** One line of JSON for programs. `body` is the JSON that came, or a string where it was none. */
export function formatDeliveryAsJson(delivery: ReceivedDelivery): string {
  const { receivedAt, verdict, id, timestamp, signature, arrivals, headers, body, answered } =
    delivery
  const given = {
    time: receivedAt.toISOString(),
    verified: verdict.kind === 'unverified' ? null : verdict.kind === 'verified',
    reason: verdict.kind === 'rejected' ? verdict.message : null,
    ...{ id, timestamp, signature, arrivals, headers, answered },
  }
  try {
    return escapeControls(JSON.stringify({ ...given, body: parseExactly(body) }))
  } catch {
    return escapeControls(JSON.stringify({ ...given, body }))
  }
}

function timeOf(date: Date): string {
  return styleText('dim', date.toTimeString().slice(0, 8))
}

function verdictOf({ verdict }: ReceivedDelivery): string {
  if (verdict.kind === 'verified') return styleText('green', '✔ verified')
  if (verdict.kind === 'unverified') return styleText('yellow', '? not verified')
  return styleText('red', '✘ rejected')
}

function withRepeat({ id, arrivals }: ReceivedDelivery): string | null {
  if (id === null || arrivals === 1) return id
  return `${id} (the ${ordinal(arrivals)} time this id arrives)`
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

function shortened(signature: string): string {
  const entries = signature.split(' ')
  const shown = entries.slice(0, 3).map((entry) => {
    return entry.length > 20 ? `${entry.slice(0, 11)}…${entry.slice(-5)}` : entry
  })
  return shown.join(' ') + (entries.length > 3 ? ` and ${entries.length - 3} more` : '')
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

/** Numbers keep the digits they came with; JSON.parse alone would turn 9007199254740993 into …992. */
function parseExactly(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return JSON.parse(text, (_key, value: unknown, context?: { source: string }) => {
    return typeof value === 'number' && context ? rawJSON(context.source) : value
  })
}

function answerOf({ answered }: ReceivedDelivery): string {
  if (answered === null) return styleText('yellow', '← not answered: the sender hung up before')
  const text = `← answered ${answered} ${STATUS_CODES[answered] ?? ''}`.trimEnd()
  return styleText(answered < 300 ? 'green' : 'red', text)
}
