import type { MiddlewareHandler } from 'hono'
import { noWebSocketsProblem } from '../http/problem.ts'

/** Rejects the handshakes of WebSockets, which many GraphQL clients use for subscriptions. */
export const rejectWebSockets: MiddlewareHandler = async (context, next) => {
  // Any other upgrade is ignored (RFC 9110, section 7.8): Java's HTTP client asks for `h2c` with each first request.
  const isWebSocket = /\bwebsocket\b/i.test(context.req.header('upgrade') ?? '')
  return isWebSocket ? noWebSocketsProblem() : await next()
}
