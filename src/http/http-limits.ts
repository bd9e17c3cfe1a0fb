/*
 * What one connection may ask of the server before anything is known of who it is. Bodies have bounds of their own, where
 * they are read: 64 KiB for REST and 1 MiB for GraphQL.
 */

/** The path and the query of a request; more is answered 414. */
export const MAX_URL_LENGTH = 16 * 1024

/** The first line and the headers of a request together; more is answered 431. */
export const MAX_HEADER_BYTES = 32 * 1024

/** How long the headers may take, and the whole request with its body; then 408 is answered and the connection closed. */
export const HEADERS_WITHIN_MS = 10_000
export const REQUEST_WITHIN_MS = 30_000

/** How often it is looked for what has taken too long. */
export const CHECK_EVERY_MS = 1_000

/** How long a connection may be idle between requests: longer than load balancers keep theirs, which is a minute. */
export const KEEP_ALIVE_MS = 65_000

/** How long a connection may stand still in the middle of a request or an answer. Streams send a sign of life more often. */
export const STALLED_AFTER_MS = 120_000

/** Connections of one process; more are closed as they come. */
export const MAX_CONNECTIONS = 10_000
