/*
 * Limits of the HTTP server that hold before authentication. The body limits are where bodies are read: 64 KiB for REST
 * and 1 MiB for GraphQL.
 */

/** Path and query of a request, in characters. A longer URL gets a 414. */
export const MAX_URL_LENGTH = 16 * 1024

/** The request line and the headers together. Larger ones get a 431. */
export const MAX_HEADER_BYTES = 32 * 1024

/** Receiving the headers. Slower requests get a 408, and the connection is closed. */
export const HEADERS_TIMEOUT_MS = 10_000

/** Receiving the whole request, with the same consequence. */
export const REQUEST_TIMEOUT_MS = 30_000

/** How often Node checks for the two timeouts above. */
export const TIMEOUT_CHECK_INTERVAL_MS = 1_000

/** How long a connection may be idle between requests. Longer than in load balancers, which close after a minute. */
export const KEEP_ALIVE_MS = 65_000

/** How long a connection may be inactive during a request or a response. Streams send keep-alives more often. */
export const INACTIVITY_TIMEOUT_MS = 120_000

/** The connections of one process. Further ones are closed on arrival. */
export const MAX_CONNECTIONS = 10_000

/** The connections of one address, or of one IPv6 /64 network, to one process. Further ones are closed on arrival. */
export const MAX_CONNECTIONS_PER_ADDRESS = 500
