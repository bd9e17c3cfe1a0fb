/** An RFC 3339 time with all of its digits. */
export interface ExactTime {
  /** Since 1970 in UTC. */
  readonly seconds: number
  /** The digits of the fraction, without zeros at its end. */
  readonly fraction: string
}

/** RFC 3339, section 5.6, without leap seconds. `posthorn.exact_time` has the same rule. */
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})t([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i

/** Null for a text that is no time, such as February 30. */
export function parseExactTime(text: string): ExactTime | null {
  const match = RFC_3339.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (year === 0 || midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day)
    return null
  const [, , , , , , , fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = match
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60 : 60)
  const seconds = midnight.getTime() / 1_000 + hour * 3_600 + minute * 60 + second - offset
  return { seconds, fraction: fraction.replace(/0+$/, '') }
}
