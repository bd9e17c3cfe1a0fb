/** The limits of one request. It takes at most the connect, acknowledge and body timeouts together. */
export interface ExchangeLimits {
  /** For DNS, TCP and TLS, and for resending the request once on another connection. */
  readonly connectTimeoutMs: number
  /** From an open connection to the response head, including sending the request. */
  readonly acknowledgeTimeoutMs: number
  /** For reading the response body. */
  readonly bodyTimeoutMs: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  /** How much of the body the outcome contains. */
  readonly keepBodyBytes: number
}

export const DEFAULT_LIMITS: ExchangeLimits = {
  connectTimeoutMs: 5_000,
  acknowledgeTimeoutMs: 15_000,
  bodyTimeoutMs: 2_000,
  maxHeaderBytes: 16 * 1024,
  maxBodyBytes: 64 * 1024,
  keepBodyBytes: 16 * 1024,
}
