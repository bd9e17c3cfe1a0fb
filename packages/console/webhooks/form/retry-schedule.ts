import { counted, formatDuration } from '../../lib/format.ts'

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
]

/** `5s, 30m, 2h`; `none` without retries. Empty: the default schedule. */
export function printDelays(delays: readonly number[] | null | undefined): string {
  if (delays?.length === 0) return 'none'
  return (delays ?? []).map(printDelay).join(', ')
}

function printDelay(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}

/** The delays of a text, in seconds. Null: the default schedule. Undefined: the text has no delays. */
export function parseDelays(text: string): number[] | null | undefined {
  if (text.trim() === '') return null
  if (text.trim() === 'none') return []
  const delays = text.split(',').map(parseDelay)
  return delays.some(Number.isNaN) ? undefined : delays
}

function parseDelay(text: string): number {
  const [, amount, letter] = /^\s*(\d+)\s*([smhd])\s*$/.exec(text) ?? []
  const size = UNITS.find(([unit]) => unit === letter)?.[1]
  return Number(amount) * (size ?? Number.NaN)
}

/** `5 retries over 7 h 35 min` */
export function summaryOf(delays: readonly number[]): string {
  if (delays.length === 0) return '0 retries'
  const time = formatDuration(1_000 * delays.reduce((sum, seconds) => sum + seconds, 0))
  return `${counted(delays.length, 'retry', 'retries')} over ${time}`
}
