/**
 * The headers of a request as a flat list of names and values, without those that the sender sets itself. Throws for
 * an invalid header and for one that the connection sets. undici also rejects such a request, but then its pool never
 * frees the connection.
 */
export function requestHeaders(
  userAgent: string,
  headers: Readonly<Record<string, string>>,
): string[] {
  // No compression: bodies are stored as received, and a small compressed body could expand to a huge one.
  const list = ['user-agent', userAgent, 'accept-encoding', 'identity']
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    if (SET_BY_SENDER.test(name)) continue
    if (!TOKEN.test(name)) {
      throw new TypeError(`The header name ${JSON.stringify(name)} is not a valid HTTP token.`)
    }
    if (SET_BY_CONNECTION.test(name)) {
      throw new TypeError(`The header "${name}" is set by the connection; remove it.`)
    }
    if (INVALID_VALUE_CHARACTER.test(value)) {
      throw new TypeError(`The value of the header "${name}" contains an invalid character.`)
    }
    list.push(name, value)
  }
  return list
}

const SET_BY_SENDER = /^(user-agent|accept-encoding)$/i

/** Headers that frame the request or belong to the connection: a second value could mislead the receiver. */
const SET_BY_CONNECTION =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|keep-alive|te|trailer)$/i

/** A valid header name (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Matches a character that a header value must not contain (RFC 9110, section 5.5). */
export const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/
