import type { Client, DocumentInput } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'
import type { Sink } from '../../shared/follow.ts'
import type { StreamError } from '../../shared/sse.ts'

/** Subscribes once. Reports each way in which the stream ends as `lost`. Returns how to unsubscribe. */
export function stream<Data, Variables extends object>(
  client: Client,
  document: DocumentInput<Data, Variables>,
  variables: Variables,
  { connected, lost }: Pick<Sink, 'connected' | 'lost'>,
  next: (data: Data) => void,
): () => void {
  return pipe(
    client.subscription(document, variables, { connected }),
    onEnd(() => lost()),
    subscribe(({ data, error }) => {
      if (error) lost((error.networkError as StreamError | undefined)?.code)
      else if (data) next(data)
    }),
  ).unsubscribe
}
