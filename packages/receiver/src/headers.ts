/**
 * The headers of a request: a `Headers` or any object with its `get` method, or an object of names (in any case) and
 * values, such as `request.headers` of node:http, Express or Fastify.
 */
export type ReceivedHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * The value of a header, by its lower-case name. Values of a repeated header are joined with `, ` as in `Headers`
 * (RFC 9110, section 5.3), so that verification gives the same result in every runtime.
 */
export function readHeader(headers: ReceivedHeaders, lowerCaseName: string): string | undefined {
  if (isHeaders(headers)) return headers.get(lowerCaseName) ?? undefined
  const values = Object.keys(headers)
    .filter((name) => name.toLowerCase() === lowerCaseName)
    .flatMap((name) => headers[name] ?? [])
  return values.length > 0 ? values.join(', ') : undefined
}

function isHeaders(
  headers: ReceivedHeaders,
): headers is Extract<ReceivedHeaders, { get(name: string): unknown }> {
  return typeof headers.get === 'function'
}
