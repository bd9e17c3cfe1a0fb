import { parseRfc3339 } from '../../lib/rfc3339-time.ts'

/** An RFC 3339 time with all of its digits. */
export interface ExactTime {
  /** Since 1970 in UTC. */
  readonly seconds: number
  /** The digits of the fraction, without zeros at its end. */
  readonly fraction: string
}

/** Null for a text that is no time, such as February 30. `posthorn.parse_exact_time` has the same rule. */
export function parseExactTime(text: string): ExactTime | null {
  const time = parseRfc3339(text)
  if (time === null) return null
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  return { seconds: Math.floor(time.getTime() / 1_000), fraction: fraction.replace(/0+$/, '') }
}
