/** The bounds of one exchange. Whatever the receiver does, it lasts no longer than the three times together. */
export interface ExchangeLimits {
  /** For looking up the name, TCP and TLS, and for the one retry on a fresh connection. */
  readonly connectTimeoutMs: number
  /** From handing the last byte of the request to the socket until the response's head. */
  readonly acknowledgeTimeoutMs: number
  readonly bodyReadMs: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  readonly keepBodyBytes: number
}

export const DEFAULT_LIMITS: ExchangeLimits = {
  connectTimeoutMs: 5_000,
  acknowledgeTimeoutMs: 15_000,
  bodyReadMs: 2_000,
  maxHeaderBytes: 16 * 1024,
  maxBodyBytes: 64 * 1024,
  keepBodyBytes: 16 * 1024,
}
