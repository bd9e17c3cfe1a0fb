/** RFC 3339, section 5.6. */
const RFC_3339 =
  /^(?!0000)\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** An RFC 3339 time, or null for any other text. (`Date` takes a time without a zone for one of this machine's zone.) */
export function parseRfc3339(text: string): Date | null {
  if (!RFC_3339.test(text)) return null
  const time = new Date(text)
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9999 && isDay(text.slice(0, 10)) ? time : null
}

/** `Date` accepts February 31 and returns a day in March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
