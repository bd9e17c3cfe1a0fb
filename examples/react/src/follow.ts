import type { Client, DocumentInput } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'

interface Follower<Data, Variables> {
  /** Those of the next stream. */
  variables(): Variables
  /** The stream is open: from now on it misses nothing. */
  connected(): void
  next(data: Data): void
  /** The stream has ended, perhaps with the code of an error. It opens again by itself. */
  lost?(code: unknown): void
}

/** Keeps a subscription, at growing intervals while it fails. Returns how to end it. */
export function follow<Data, Variables extends object>(
  client: Client,
  document: DocumentInput<Data, Variables>,
  { variables, connected, next, lost }: Follower<Data, Variables>,
): () => void {
  let [isWanted, retries, close] = [true, 0, () => {}]
  async function open(): Promise<void> {
    const code = await new Promise((resolve) => {
      const opened = () => {
        retries = 0
        connected()
      }
      close = pipe(
        client.subscription(document, variables(), { connected: opened }),
        onEnd(() => resolve(undefined)),
        subscribe(({ data, error }) => {
          if (error) resolve(error.graphQLErrors[0]?.extensions['code'])
          else if (data) next(data)
        }),
      ).unsubscribe
    })
    close()
    if (!isWanted) return
    lost?.(code)
    setTimeout(() => isWanted && open(), Math.min(30_000, 500 * 2 ** retries++))
  }
  void open()
  return () => {
    isWanted = false
    close()
  }
}
