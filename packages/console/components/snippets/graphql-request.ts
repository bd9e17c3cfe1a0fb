/** A program in one language. */
export interface Snippet {
  readonly language: string
  readonly code: string
}

/** Where a program sends GraphQL, and for which organization. */
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
  mutation: string,
  variables: object,
): string {
  const body = { query: mutation.replace(/\s+/g, ' '), variables }
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl ${origin}/graphql \\
  -H "Authorization: Bearer $POSTHORN_API_KEY" \\${actsFor ? `\n  -H 'Posthorn-Organization: ${organizationId}' \\` : ''}
  -H 'Content-Type: application/json' \\
  -d '${quoted}'`
}

/** The same request with `fetch`. `mutation`: the name of the constant with the mutation. */
export function fetchRequest(
  { origin, organizationId, actsFor }: ApiTarget,
  mutation: string,
  variables: object,
): string {
  return `await fetch('${origin}/graphql', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.POSTHORN_API_KEY}\`,${actsFor ? `\n    'posthorn-organization': '${organizationId}',` : ''}
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    query: ${mutation},
    variables: ${indented(literal(variables), '    ')},
  }),
})`
}

/** A value as JavaScript. In JSON, a line begins with a quote only before a key or in an array. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z]\w*)": /gm, '$1$2: ')
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}
