/** The prefix in the snippets, and the default of `verify` in `@posthorn/receiver`. */
const DEFAULT_PREFIX = 'wh-'

interface SignatureNames {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

/** The prefix that the names of the three headers have in common, or that of the installation. */
export function prefixOf(names: SignatureNames | null | undefined, usual: string): string {
  const [, prefix] = /^(.*)id$/.exec(names?.id ?? '') ?? []
  const isCommon =
    names?.timestamp === `${prefix}timestamp` && names.signature === `${prefix}signature`
  return prefix !== undefined && isCommon ? prefix : usual
}

/** Adapts a snippet to the header prefix of this installation. */
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
