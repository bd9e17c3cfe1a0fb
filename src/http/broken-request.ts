import type { Duplex } from 'node:stream'
import { HEADERS_WITHIN_MS, MAX_HEADER_BYTES, REQUEST_WITHIN_MS } from './http-limits.ts'
import { problemBody } from './problem.ts'
import { PROBLEM_KINDS, type ProblemKind } from './problem-kind.ts'

/** Answers what never became a request, such as broken HTTP, with a problem, and closes the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [kind, detail] = explain(error.code)
  const { status, title } = PROBLEM_KINDS[kind]
  const body = problemBody({ kind, detail })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'content-type: application/problem+json',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  // Whoever never reads it must not keep the socket.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function explain(code: string | undefined): [kind: ProblemKind, detail: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [
        'headers_too_large',
        `The headers have more than ${MAX_HEADER_BYTES.toLocaleString('en')} bytes, which is the most that is accepted.`,
      ]
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        'timed_out',
        `The request took too long: its headers may take ${HEADERS_WITHIN_MS / 1_000} seconds, and all of it ${REQUEST_WITHIN_MS / 1_000}.`,
      ]
    default:
      return ['malformed', 'The request is not valid HTTP/1.1.']
  }
}
