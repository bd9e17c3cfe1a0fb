/** The codes in `extensions.code` of the errors of a response. */
export const ERROR_CODES = {
  BAD_REQUEST: 'The request is not one of GraphQL over HTTP.',
  BAD_USER_INPUT: 'An argument or a variable is invalid. `extensions.issues` lists the problems.',
  CONFLICT: 'The current state does not allow the request.',
  FORBIDDEN: 'The caller lacks a scope, or its session is restricted to another webhook.',
  GRAPHQL_PARSE_FAILED: 'The document is not GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not fit the schema.',
  INTERNAL: 'A fault of Posthorn. `extensions.reference` finds it in the log of the server.',
  LIMIT_EXCEEDED: 'The document or its response is too large.',
  NOT_ACCEPTABLE: 'The client does not accept the media type of a subscription.',
  NOT_FOUND: 'There is no such object, or the caller cannot see it.',
  OPERATION_RESOLUTION_FAILURE: 'The document has no operation of this name, or several.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'The server keeps no persisted queries. Send the document.',
  RATE_LIMITED: 'A limit is reached. Try again after the time in the header `Retry-After`.',
  RELOAD_REQUIRED: 'A subscription missed too much. Query the lists again.',
  SLOW_CONSUMER: 'A subscription has too many events that the client has not read.',
  TOO_MANY_SUBSCRIPTIONS: 'The caller has too many open subscriptions.',
  TRUSTED_DOCUMENTS_ONLY: 'The server runs trusted documents only.',
  TRUSTED_DOCUMENT_NOT_FOUND: 'The server has no trusted document with this hash.',
  UNAUTHENTICATED: 'The API key or the session is missing, unknown, expired or revoked.',
  UNAVAILABLE: 'Posthorn is not available now. Try again.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES
