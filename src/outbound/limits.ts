/** The bounds of one request. Whatever the receiver does, it lasts no longer than the last three times together. */
export interface ExchangeLimits {
  /** How long it may wait for a connection of its organization before it begins. That time is not the receiver's. */
  readonly waitTimeoutMs: number
  /** For looking up the name, TCP and TLS, and for the one repeat on another connection. */
  readonly connectTimeoutMs: number
  /** From a ready connection to the response's head, sending included. */
  readonly acknowledgeTimeoutMs: number
  readonly bodyReadMs: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  readonly keepBodyBytes: number
}

/** Bounds of one organization, which it shares with no other. */
export interface ConnectionLimits {
  readonly connectionsPerOrigin: number
  /** Connections that are being made at a time: name look-ups and handshakes. */
  readonly connecting: number
}

export const DEFAULT_LIMITS: ExchangeLimits & ConnectionLimits = {
  waitTimeoutMs: 10_000,
  connectTimeoutMs: 5_000,
  acknowledgeTimeoutMs: 15_000,
  bodyReadMs: 2_000,
  maxHeaderBytes: 16 * 1024,
  maxBodyBytes: 64 * 1024,
  keepBodyBytes: 16 * 1024,
  connectionsPerOrigin: 256,
  connecting: 64,
}
