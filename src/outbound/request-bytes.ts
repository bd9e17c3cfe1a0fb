import type { Destination } from './destination.ts'
import { NOT_IN_VALUE, TOKEN } from './field-syntax.ts'

export interface RequestParts {
  readonly userAgent: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * A POST as it goes out (RFC 9112, section 3): one buffer, so that it is one write and small ones are one TLS record.
 * Throws for a header that is not valid HTTP, or that is for the connection itself to say.
 */
export function toRequestBytes(
  { host, path }: Destination,
  { userAgent, headers, body }: RequestParts,
): Buffer {
  // Identity, because a body is kept as it comes and small bodies should not hide large ones.
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\nuser-agent: ${userAgent}\r\naccept-encoding: identity\r\n`
  for (const name in headers) {
    if (isSendersOwn(name)) continue
    const value = headers[name] as string
    if (NOT_IN_VALUE.test(value)) {
      throw new TypeError(
        `The header "${name}" has a character in its value that HTTP does not allow.`,
      )
    }
    head += `${name}: ${value}\r\n`
  }
  head += `content-length: ${body.length}\r\n\r\n`
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 'latin1')
  body.copy(bytes, head.length)
  return bytes
}

/** Names that may be sent. The same few come with nearly every request. */
const valid = new Set<string>()
const MOST_REMEMBERED = 1_000

/** Whether the sender says it, whatever is given; throws where nobody may. */
function isSendersOwn(name: string): boolean {
  if (valid.has(name)) return false
  if (SENDERS_OWN.test(name)) return true
  if (!TOKEN.test(name)) {
    throw new TypeError(`The header name ${JSON.stringify(name)} is not a token of HTTP.`)
  }
  if (CONNECTIONS_OWN.test(name)) {
    throw new TypeError(`The header "${name}" is for the connection itself to say; leave it out.`)
  }
  if (valid.size < MOST_REMEMBERED) valid.add(name)
  return false
}

const SENDERS_OWN = /^(user-agent|accept-encoding)$/i

/** What frames a request, or concerns the connection alone: a receiver that read another one would be led astray. */
const CONNECTIONS_OWN =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i
