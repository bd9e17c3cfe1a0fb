/** When a UUIDv7 was created, to the millisecond (RFC 9562, section 5.7). */
export function timestampOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16))
}

/** The smallest UUIDv7 of a moment: the bound of time ranges over ids. Times before 1970 have the first of all. */
export function lowerBoundAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0').slice(-12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
