/**
 * Whether an error means that Postgres is away or refuses work for now, so that the same call may succeed later. Where
 * it refused, nothing happened; where a connection broke, all of it may have:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; isObject(cause) && depth < 5; cause = inner(cause), depth++) {
    const codes = [cause['code'], cause['originalCode']]
    if (codes.some((code) => UNAVAILABLE_CODE.test(String(code ?? '')))) return true
    const adapter = isObject(cause['meta']) ? JSON.stringify(cause['meta']) : ''
    if (UNAVAILABLE_TEXT.test(`${cause['message'] ?? ''} ${adapter}`)) return true
  }
  return false
}

/** What Postgres said is inside what Prisma's adapter says, which is inside the `meta` of what Prisma says. */
function inner(error: Record<string, unknown>): unknown {
  const { cause, meta } = error
  return cause ?? (isObject(meta) ? meta['driverAdapterError'] : undefined)
}

/**
 * Of Postgres: connection faults (08), no room or connections left (53), shutting down or starting (57P0x), a standby
 * (25006), a lock or an answer that took too long (55P03, 57014), a conflict with another transaction (40001, 40P01), a
 * disk that fails (58030). Of Node: the sockets' errors. Of Prisma: P1xxx, a timeout of the pool, a conflict.
 */
const UNAVAILABLE_CODE =
  /^(08...|53...|57P0[1-5]|25006|55P03|57014|40001|40P01|58030|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024|P2034)$/

/** What `pg` and Prisma's adapter say in words only; and where a server that is away has left no socket file. */
const UNAVAILABLE_TEXT =
  /connect ENOENT|Connection terminated|The connection ended|timeout expired|Query read timeout|Client was closed and is not queryable|timeout exceeded when trying to connect|Client has encountered a connection error|connection refused|DatabaseNotReachable|ConnectionClosed|TooManyConnections|Unable to start a transaction in the given time/i

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
