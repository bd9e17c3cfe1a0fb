/** What the snippets are written for, and what `verify` of `posthorn/receiver` takes unless it is told otherwise. */
const DEFAULT_PREFIX = 'wh-'

/** The code of a snippet, for deliveries whose headers begin with a prefix of the operator's. */
export function withHeaderPrefix(code: string, prefix: string): string {
  if (prefix === DEFAULT_PREFIX) return code
  return code
    .replaceAll(/\bwh-(?=(id|timestamp|signature)\b)/g, prefix)
    .replaceAll('HTTP_WH_', `HTTP_${prefix.toUpperCase().replaceAll('-', '_')}`)
    .replace(
      'verify(body, request.headers, secret)',
      `verify(body, request.headers, secret, { headerPrefix: '${prefix}' })`,
    )
}
