/** The prefix in the snippets, and the default of `verify` in `@posthorn/receiver`. */
const DEFAULT_PREFIX = 'wh-'

/** Adapts a snippet to the header prefix of a webhook. */
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
