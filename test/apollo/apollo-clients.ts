import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'

interface Target {
  readonly url: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

const linkTo = ({ url, token, fetch }: Target) =>
  new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}` }, fetch })

/** A client that names itself in its headers. */
export const namedClient = (target: Target) =>
  new ApolloClient({
    clientAwareness: { name: 'pages', version: '1.2.3' },
    cache: new InMemoryCache(),
    link: linkTo(target),
  })

/** A client that sends the hashes of documents. */
export const hashingClient = (target: Target, sha256: (text: string) => string) =>
  new ApolloClient({
    cache: new InMemoryCache(),
    link: new PersistedQueryLink({ sha256 }).concat(linkTo(target)),
  })
