import type { Duplex } from 'node:stream'
import { REQUEST_ID_HEADER } from './connection.ts'
import { HEADERS_TIMEOUT_MS, MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from './http-limits.ts'
import { PROBLEM_KINDS, type ProblemKind } from './http-rejection.ts'
import { problemBody } from './problem.ts'

/**
 * Answers a request that the HTTP parser rejects with a problem, and closes the connection. Returns the status, or null
 * if the connection is already closed.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  requestId: string,
): number | null {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return null
  }
  const [kind, detail] = explain(error.code)
  const { status, title } = PROBLEM_KINDS[kind]
  const body = problemBody({ kind, detail })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    'cache-control: no-store',
    `${REQUEST_ID_HEADER}: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  // A client that never reads the response must not keep the socket open.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
  return status
}

function explain(code: string | undefined): [kind: ProblemKind, detail: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        'headers_too_large',
        `The headers exceed the limit of ${MAX_HEADER_BYTES.toLocaleString('en')} bytes.`,
      ]
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        'timed_out',
        `The request took too long: the limit is ${HEADERS_TIMEOUT_MS / 1_000} seconds for the headers and ${REQUEST_TIMEOUT_MS / 1_000} for the whole request.`,
      ]
    default:
      return ['malformed', 'The request is not valid HTTP/1.1.']
  }
}
