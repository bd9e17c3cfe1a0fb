import {
  createContext,
  type ReactNode,
  useContext,
  useInsertionEffect,
  useMemo,
  useRef,
} from 'react'
import {
  createPosthornClient,
  type PosthornClient,
  type PosthornOptions,
} from './posthorn-client.ts'

export interface PosthornProviderProps extends PosthornOptions {
  readonly children?: ReactNode
}

/**
 * Gives the hooks and components below it their server and their token. When another user signs in, give the provider
 * another `key`, so that nothing of the first user remains on the page.
 */
export function PosthornProvider({
  url,
  getToken,
  trustedDocuments,
  children,
}: PosthornProviderProps) {
  // A host may pass another function with each rendering. That must not forget the token.
  const latest = useRef(getToken)
  useInsertionEffect(() => {
    latest.current = getToken
  })
  const client = useMemo(
    () => createPosthornClient({ url, trustedDocuments, getToken: () => latest.current() }),
    [url, trustedDocuments],
  )
  return <ClientContext.Provider value={client}>{children}</ClientContext.Provider>
}

/** The client, for calls that no hook of this package makes. */
export function usePosthornClient(): PosthornClient {
  const client = useContext(ClientContext)
  if (client === null) {
    throw new Error(
      'The hooks and components of @posthorn/react need a <PosthornProvider> above them.',
    )
  }
  return client
}

const ClientContext = createContext<PosthornClient | null>(null)
