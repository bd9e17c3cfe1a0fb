/**
 * A request's headers, as a runtime gives them: anything with the `get` of a `Headers`, or an object of names
 * in any case and their values, such as `request.headers` of node:http, Express or Fastify.
 */
export type ReceivedHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * The value of a header, named in lower case. A repeated header is combined with `, ` as `Headers` does it
 * (RFC 9110 section 5.3), so that a request is judged alike in every runtime.
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
