import { NOT_IN_VALUE, TOKEN } from './field-syntax.ts'

/**
 * The headers of a request, in order, without those that the sender says itself. Throws for one that is not valid HTTP, or
 * that is for the connection to say. (undici refuses such a request too, but its pool then keeps a connection for it.)
 */
export function requestHeaders(
  userAgent: string,
  headers: Readonly<Record<string, string>>,
): string[] {
  // Identity, because a body is kept as it comes and small bodies should not hide large ones.
  const list = ['user-agent', userAgent, 'accept-encoding', 'identity']
  for (const [name, value] of Object.entries(headers)) {
    if (SENDERS_OWN.test(name)) continue
    if (!TOKEN.test(name)) {
      throw new TypeError(`The header name ${JSON.stringify(name)} is not a token of HTTP.`)
    }
    if (CONNECTIONS_OWN.test(name)) {
      throw new TypeError(`The header "${name}" is for the connection itself to say; leave it out.`)
    }
    if (NOT_IN_VALUE.test(value)) {
      throw new TypeError(
        `The header "${name}" has a character in its value that HTTP does not allow.`,
      )
    }
    list.push(name, value)
  }
  return list
}

const SENDERS_OWN = /^(user-agent|accept-encoding)$/i

/** What frames a request, or concerns the connection alone: a receiver that read another one would be led astray. */
const CONNECTIONS_OWN =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i
