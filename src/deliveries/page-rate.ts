/**
 * SQL: when the page after the next one may begin, if the next one takes `waitMs` of the rate. A late page is made up for,
 * but at most 250 ms of it, so that the wait for other pages of the organization ends in no burst.
 */
export const nextPageAt = (waitMs: string) => `
  greatest(next_page_at, clock_timestamp() - interval '250 milliseconds') + ${waitMs}::float8 * interval '1 millisecond'`

/** SQL: the milliseconds until the next page. */
export const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`
