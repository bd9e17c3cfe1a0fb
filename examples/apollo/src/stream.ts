import type { ApolloClient, OperationVariables, TypedDocumentNode } from '@apollo/client'
import type { Sink } from '../../shared/follow.ts'
import type { StreamError } from '../../shared/sse.ts'

/** Subscribes once. Reports each way in which the stream ends as `lost`. Returns how to unsubscribe. */
export function stream<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { connected, lost }: Pick<Sink, 'connected' | 'lost'>,
  next: (data: Data) => void,
): () => void {
  const subscription = client
    .subscribe<Data, OperationVariables>({ query, variables, context: { connected } })
    .subscribe({
      next({ data, error }) {
        if (error) lost((error as StreamError).code)
        else if (data) next(data as Data)
      },
      complete: () => lost(),
    })
  return () => subscription.unsubscribe()
}
