/**
 * Whether an error means that Postgres is away or refuses work for now, so that the same call may succeed later and
 * nothing of it happened: https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (
    let cause = error, depth = 0;
    isObject(cause) && depth < 5;
    cause = cause['cause'], depth++
  ) {
    const code = String(cause['code'] ?? '')
    const original = isObject(cause['meta']) ? JSON.stringify(cause['meta']) : ''
    if (
      UNAVAILABLE_CODE.test(code) ||
      UNAVAILABLE_TEXT.test(`${cause['message'] ?? ''} ${original}`)
    ) {
      return true
    }
  }
  return false
}

/**
 * Of Postgres: connection faults (08), no room or connections left (53), shutting down or starting (57P0x), a standby
 * (25006). Of Node: the sockets' errors. Of Prisma: P1xxx and a timeout of the pool.
 */
const UNAVAILABLE_CODE =
  /^(08...|53...|57P0[1-5]|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024)$/

/** What `pg` and Prisma's adapter say in words only. */
const UNAVAILABLE_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|connection refused|DatabaseNotReachable|ConnectionClosed|TooManyConnections|Unable to start a transaction in the given time/i

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
