import type { PosthornClient } from '../client/posthorn-client.ts'
import type { PosthornError } from '../client/posthorn-error.ts'
import { PosthornAttemptRecordedDocument, PosthornAttemptsDocument } from '../generated/graphql.ts'
import { waitToReconnect } from './reconnect.ts'
import type { Attempt } from './use-deliveries.ts'

/** A stream that lasted this long was not rejected. The next connection is made soon. */
const STABLE_AFTER_MS = 5_000

/** `connecting` at first, `live` while attempts arrive, `interrupted` until the next connection, `ended` for good. */
export type ConnectionState = 'connecting' | 'live' | 'interrupted' | 'ended'

export interface AttemptReader {
  /** The newest attempts, with the scopes of the session. They replace all attempts before. */
  onList(attempts: readonly Attempt[], scopes: readonly string[]): void
  /** One more attempt. It may have arrived before. */
  onAttempt(attempt: Attempt): void
  onConnection(state: ConnectionState, error: PosthornError | null): void
}

export interface FollowOptions {
  readonly webhookId: string | null
  /** The number of attempts to begin with. */
  readonly first: number
  readonly signal: AbortSignal
}

/**
 * Reads the newest attempts, then the stream of the attempts after them. A broken stream resumes after the newest attempt
 * that was received. Resolves when the signal aborts, or when another connection would fail too.
 */
export async function followAttempts(
  client: PosthornClient,
  { webhookId, first, signal }: FollowOptions,
  reader: AttemptReader,
): Promise<void> {
  let newest: Attempt | null = null

  function take(attempt: Attempt) {
    if (newest === null || attempt.recordedAt >= newest.recordedAt) newest = attempt
  }
  async function readList(): Promise<PosthornError | null> {
    const filter = webhookId === null ? {} : { webhookIds: [webhookId] }
    const variables = { first, after: null, filter }
    const list = await client.request(PosthornAttemptsDocument, variables, signal)
    if (!list.ok) return list.error
    const attempts = list.value.attempts?.nodes ?? []
    for (const attempt of attempts) take(attempt)
    if (!signal.aborted) reader.onList(attempts, list.value.viewer.scopes)
    return null
  }
  /** Without an attempt to resume after, the list is read once the stream is open, so that nothing is missed between. */
  async function readStream(opened: () => void): Promise<PosthornError> {
    const after = newest?.id ?? null
    const aborter = new AbortController()
    const abort = () => aborter.abort()
    signal.addEventListener('abort', abort)
    let listError: PosthornError | null = null
    let hasEnded = false
    const ended = await client.subscribe(
      PosthornAttemptRecordedDocument,
      { after, webhookId },
      {
        signal: aborter.signal,
        async onOpen() {
          if (after === null) listError = await readList()
          if (listError !== null) abort()
          else if (!signal.aborted && !hasEnded) opened()
        },
        onData({ attemptRecorded }) {
          if (!attemptRecorded || signal.aborted) return
          take(attemptRecorded)
          reader.onAttempt(attemptRecorded)
        },
      },
    )
    hasEnded = true
    signal.removeEventListener('abort', abort)
    return listError ?? ended
  }

  let failures = 0
  let isListed = false
  while (!signal.aborted) {
    let error = isListed ? null : await readList()
    if (error === null) {
      isListed = true
      const openedAt = performance.now()
      error = await readStream(() => reader.onConnection('live', null))
      if (performance.now() - openedAt > STABLE_AFTER_MS) failures = 0
      if (error.code === 'RELOAD_REQUIRED') newest = null
    }
    if (signal.aborted) return
    reader.onConnection(error.canRetry ? 'interrupted' : 'ended', error)
    if (!error.canRetry) return
    await waitToReconnect(failures++, signal)
  }
}
