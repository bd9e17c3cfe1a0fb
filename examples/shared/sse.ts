import { createClient, type RequestParams } from 'graphql-sse'
import type { Session } from './session.ts'
import { limitSilence } from './silence-limit.ts'

export interface SseSink<Result> {
  next(result: Result): void
  error(error: unknown): void
  complete(): void
}

/** Why a stream ended, with the code of the GraphQL error. */
export class StreamError extends Error {
  readonly code: string | undefined
  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Subscribes with graphql-sse, for a client library without event streams of its own. Does not retry: `follow` does. */
export function subscribeWithSse<Result extends object>(
  session: Session,
  { query, variables }: RequestParams,
  sink: SseSink<Result>,
  connected?: () => void,
): () => void {
  const client = createClient({
    url: session.url,
    headers: () => ({ authorization: `Bearer ${session.token}` }),
    retryAttempts: 0,
    fetchFn: limitSilence((input, init) => fetch(input, init)),
  })
  return client.subscribe(
    { query, variables },
    {
      next(result) {
        const [error] = result.errors ?? []
        if (error) sink.error(new StreamError(error.message, error.extensions?.['code'] as string))
        else sink.next(result as Result)
      },
      error: (error) => sink.error(streamErrorOf(error)),
      complete: () => sink.complete(),
    },
    { connected: () => connected?.() },
  )
}

function streamErrorOf(error: unknown): StreamError {
  const { message, response } = error as { message: string; response?: Response }
  return new StreamError(message, response?.status === 401 ? 'UNAUTHENTICATED' : undefined)
}
