/**
 * Whether an error means that Postgres is unavailable for now, so that the same call may succeed later. After an error
 * code, the statement had no effect; after a broken connection, the whole statement may have run.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
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

/** Prisma's error holds the error of its adapter in `meta`, which holds the error of Postgres. */
function inner(error: Record<string, unknown>): unknown {
  const { cause, meta } = error
  return cause ?? (isObject(meta) ? meta['driverAdapterError'] : undefined)
}

/**
 * Postgres: connection errors (08), insufficient resources (53), shutdown or startup (57P0x), a read-only standby (25006),
 * lock and statement timeouts (55P03, 57014), serialization failures and deadlocks (40001, 40P01), I/O errors (58030).
 * Node: socket errors. Prisma: connection errors (P1xxx), a pool timeout (P2024), a write conflict (P2034).
 */
const UNAVAILABLE_CODE =
  /^(08...|53...|57P0[1-5]|25006|55P03|57014|40001|40P01|58030|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024|P2034)$/

/** Errors of `pg` and of Prisma's adapter that have no code, and a missing socket file. */
const UNAVAILABLE_TEXT =
  /connect ENOENT|Connection terminated|The connection ended|timeout expired|Query read timeout|Client was closed and is not queryable|timeout exceeded when trying to connect|Client has encountered a connection error|DatabaseNotReachable|ConnectionClosed|TooManyConnections|Unable to start a transaction in the given time/i

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
