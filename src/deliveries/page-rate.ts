/**
 * SQL: the time of the page after the next one, which queued deliveries for `waitMs` at the rate of the row. A late page
 * makes up for at most a second, so the rate holds although the pages of an organization wait for each other.
 */
export const nextPageAt = (waitMs: string) =>
  `greatest(next_page_at, clock_timestamp() - interval '1 second') + ${waitMs}::float8 * interval '1 millisecond'`

/** SQL: the milliseconds until the next page. */
export const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`
