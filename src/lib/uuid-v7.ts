/** The time in a UUIDv7, to the millisecond (RFC 9562, section 5.7). */
export function timestampOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16))
}

/** The upper bound of a time range over ids that may have no end. Its end is exclusive, so "now" would exclude ids. */
export function upperBoundAt(time: Date | null | undefined): string {
  return time ? lowerBoundAt(time) : 'ffffffff-ffff-ffff-ffff-ffffffffffff'
}

/** The smallest UUIDv7 of a time, for time ranges over ids. A time before 1970 counts as 1970. */
export function lowerBoundAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0').slice(-12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
