/** Sends a GraphQL request to a server, and returns the whole answer. */
export async function postGraphql(
  url: string,
  token: string,
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return await response.json()
}

/** What `TestApp.graphql` is for the tenant, for another token. */
export function callerWith(url: string, token: string) {
  return {
    // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
    async graphql(query: string, variables: object = {}): Promise<any> {
      return (await postGraphql(url, token, query, variables)).data
    },
  }
}
