/** A program in one language. */
export interface Snippet {
  readonly language: string
  readonly code: string
}

/** The Posthorn that a program calls, and for which organization. */
export interface ApiTarget {
  /** The origin of Posthorn, such as `https://hooks.example.com`. */
  readonly origin: string
  readonly organizationId: string
  /** Whether the key may be one of another organization, so that the request names this one. */
  readonly actsFor: boolean
}

/** A request with curl. It reads the API key from POSTHORN_API_KEY. */
export function curlRequest(
  { origin, organizationId, actsFor }: ApiTarget,
  path: string,
  body: object,
): string {
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl ${origin}${path} \\
  -H "Authorization: Bearer $POSTHORN_API_KEY" \\${actsFor ? `\n  -H 'Posthorn-Organization: ${organizationId}' \\` : ''}
  -H 'Content-Type: application/json' \\
  -d '${quoted}'`
}
