import type { ErrorCode as GraphqlCode } from '../../src/graphql/error-codes.ts'
import type { ProblemKind } from '../../src/http/problem-kind.ts'

/** A kind of problem that has no entry here does not compile. */
export const PROBLEM_CAUSES: Readonly<Record<ProblemKind, { cause: string; remedy: string }>> = {
  malformed: {
    cause: 'The body is not a JSON object in UTF-8, or a header cannot be read.',
    remedy: 'Send what `detail` asks for.',
  },
  unauthenticated: {
    cause: 'The API key is missing, malformed, unknown, expired or revoked.',
    remedy: 'Send `Authorization: Bearer phk_…` with a key that is valid.',
  },
  forbidden: {
    cause: 'The API key lacks a scope, or is restricted to another webhook.',
    remedy: 'Use a key with the scope that `detail` names.',
  },
  not_found: {
    cause: 'There is no such path or object, or the organization of the key does not have it.',
    remedy: 'Check the id, and that the key is of the same organization.',
  },
  method_not_allowed: {
    cause: 'The path does not have the method.',
    remedy: 'Use a method that the header `Allow` lists.',
  },
  timed_out: {
    cause: 'The request took too long to arrive.',
    remedy: 'Send its headers within 10 seconds, and all of it within 30.',
  },
  conflict: {
    cause:
      'The idempotency key was used for something else or is in use, or the present state does not allow the request.',
    remedy: 'Use a new key for a new request; if the first call still runs, try again shortly.',
  },
  precondition_failed: {
    cause: 'The object has another version than `If-Match` says, or that of `If-None-Match`.',
    remedy: 'Read the object again, and send its `ETag`. Nothing was changed.',
  },
  too_large: {
    cause: 'The body has too many bytes.',
    remedy: 'Send at most as many bytes as `detail` says, such as fewer events at a time.',
  },
  url_too_long: {
    cause: 'The path and the query have more than 16,384 characters.',
    remedy: 'Send less in the query, or use POST.',
  },
  unsupported_media_type: {
    cause: 'The body is not `application/json` in UTF-8, or is compressed.',
    remedy: 'Send the header `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  invalid: {
    cause: 'Fields or parameters break their rules. `errors` lists all of them, up to 100.',
    remedy: 'Correct the fields that `errors` names.',
  },
  rate_limited: {
    cause: 'The API key, its organization or the address has reached a limit. Nothing was done.',
    remedy: 'Try again after the seconds in `Retry-After`.',
  },
  headers_too_large: {
    cause: 'The headers have more than 32,768 bytes.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    cause: 'A fault of Posthorn.',
    remedy:
      'Try again with the same idempotency key. Search the log for the reference in `instance`, and report the line.',
  },
  unavailable: {
    cause: 'Postgres is unavailable, or Posthorn has no memory free for the request.',
    remedy: 'Try again after the seconds in `Retry-After`. The log says what is wrong.',
  },
}

/** A code of the graph that has no entry here does not compile. */
export const GRAPHQL_REMEDIES: Readonly<Record<GraphqlCode, string>> = {
  BAD_REQUEST:
    'Send a POST request with a JSON object that has `query`, or a GET request with `query` in its URL.',
  BAD_USER_INPUT: 'Correct what `extensions.issues` names.',
  CONFLICT: 'Read the present state, and decide again.',
  FORBIDDEN: 'Use a key that has the scope that the message names.',
  GRAPHQL_PARSE_FAILED: 'Correct the document at `locations`.',
  GRAPHQL_VALIDATION_FAILED: 'Correct the field or argument that the message names.',
  INTERNAL: 'Try again. Search the log for `extensions.reference`, and report the line.',
  LIMIT_EXCEEDED: 'Ask for fewer fields, or for smaller pages.',
  NOT_ACCEPTABLE: 'Send `Accept: text/event-stream`.',
  NOT_FOUND: 'Check the id, and that the key is of the same organization.',
  OPERATION_RESOLUTION_FAILURE: 'Name an operation of the document in `operationName`.',
  PERSISTED_QUERY_MISMATCH: 'Send the SHA-256 of the text of the document.',
  PERSISTED_QUERY_NOT_FOUND: 'Send the text of the document once, with its hash.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'Send version 1, or the text of the document.',
  RATE_LIMITED: 'Try again after the seconds in `Retry-After`.',
  RELOAD_REQUIRED: 'Query the lists again, and subscribe again.',
  SLOW_CONSUMER: 'Read faster, or subscribe to less; then subscribe again.',
  TOO_MANY_SUBSCRIPTIONS: 'End subscriptions that are not needed, or share one.',
  TRUSTED_DOCUMENTS_ONLY: 'Send the hash of a document that the operator trusts.',
  TRUSTED_DOCUMENT_NOT_FOUND: 'Add the document to `POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS`.',
  UNAUTHENTICATED: 'Send `Authorization: Bearer phk_…` with a key that is valid.',
  UNAVAILABLE: 'Try again after the seconds in `Retry-After`.',
}
