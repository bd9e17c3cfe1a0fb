import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'

const EVENT = gql`
  query Event($id: ID!) {
    event(id: $id) {
      id
      type
      publishedAt
    }
  }
`

/** Reads one event of the graph of events. Apollo adds `__typename` to each object. */
export async function readWithApollo(
  { url, headers }: { readonly url: string; readonly headers: Record<string, string> },
  id: string,
): Promise<unknown> {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({ uri: url, headers }),
  })
  const { data } = await client.query({ query: EVENT, variables: { id } })
  return data
}
