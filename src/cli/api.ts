import type { Client, PosthornError, RequestOptions } from '../../packages/client/src/index.ts'

/** Runs an operation with one root field, and returns its value. */
export async function run<Value>(
  client: Client,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  options: RequestOptions = {},
): Promise<Value> {
  const [value] = Object.values(await client.request(query, variables, options))
  return value as Value
}

/**
 * A mutation as `run` takes it: its call, such as `deleteWebhook(id: $id)`, the types of its variables, and the fields of its
 * success.
 */
export function mutation(call: string, variables: string, fields: string): string {
  const [name = ''] = call.split('(')
  return `mutation (${variables}) { ${call} {
    ... on ${name[0]?.toUpperCase()}${name.slice(1)}Success { ${fields} }
    ... on UserError { code message ... on ValidationError { issues { path code message } } }
  } }`
}

/** The fields of all nodes of a connection, oldest first: lists are newest first. */
export async function allPages<Node>(client: Client, name: string, fields: string) {
  const query = `query ($after: String) {
    ${name}(first: 100, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }
  }`
  const nodes: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> = await run(client, query, { after })
    nodes.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return nodes.toReversed()
    after = page.pageInfo.endCursor
  }
}

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** What helps against an error of the client, for the person who typed the command. */
const REMEDIES: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Set POSTHORN_API_KEY to a valid key, or give --key-file.',
  UNREACHABLE: 'Start Posthorn with `npm start`, or give its URL with --server.',
}

/** The message of an error of the client, with what helps. */
export function explainApiError({ code, message }: PosthornError): string {
  return [message, REMEDIES[code] ?? []].flat().join(' ')
}
