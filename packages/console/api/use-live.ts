import { useDocumentVisibility } from '@mantine/hooks'
import { createClient } from 'graphql-sse'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { CombinedError, stringifyDocument, type TypedDocumentNode } from 'urql'
import { requestOptions } from './client.ts'
import { noteOutcome } from './connection.ts'
import { limitSilence } from './silence-limit.ts'

const LONGEST_WAIT_MS = 15_000
/** After the server has ended a stream, such as while it restarts. */
const REOPEN_AFTER_MS = 5_000
/** After the server has refused a stream, such as of a browser that has too many of them. */
const REOPEN_REFUSED_AFTER_MS = 60_000
/** A stream that is refused counts as opened until its first event, which says so. */
const REFUSED_WITHIN_MS = 300
/** The codes of errors that pass. A session that has ended may be renewed. */
const PASSING: readonly unknown[] = ['UNAVAILABLE', 'UNAUTHENTICATED']

const streamClient = createClient({
  url: '/graphql',
  headers: () => requestOptions().headers,
  credentials: requestOptions().credentials,
  fetchFn: limitSilence(fetch),
  retryAttempts: Number.POSITIVE_INFINITY,
  retry: (retries) =>
    new Promise((resolve) => setTimeout(resolve, Math.min(1_000 * 2 ** retries, LONGEST_WAIT_MS))),
})

/** Whether live updates arrive. */
export type LiveState = 'connecting' | 'live' | 'interrupted'

interface Follower {
  onState(state: LiveState): void
  onData(data: unknown): void
}

interface Stream {
  state: LiveState
  readonly followers: Set<Follower>
  close(): void
}

/** The open streams. All components that follow the same one share its connection. */
const streams = new Map<string, Stream>()

/** Returns what ends this. */
function follow(query: string, variables: string, follower: Follower): () => void {
  const key = query + variables
  const stream = streams.get(key) ?? openStream({ query, variables: JSON.parse(variables) })
  streams.set(key, stream)
  stream.followers.add(follower)
  follower.onState(stream.state)
  return () => {
    stream.followers.delete(follower)
    if (stream.followers.size > 0) return
    streams.delete(key)
    stream.close()
  }
}

function openStream(request: { query: string; variables: Record<string, unknown> }): Stream {
  const followers = new Set<Follower>()
  const stream: Stream = { state: 'connecting', followers, close: () => {} }
  function change(state: LiveState) {
    stream.state = state
    for (const follower of followers) follower.onState(state)
  }
  function open() {
    let reopenAfterMs = REOPEN_AFTER_MS
    let opened: ReturnType<typeof setTimeout>
    function interrupt() {
      clearTimeout(opened)
      if (stream.state !== 'interrupted') change('interrupted')
    }
    function reopen() {
      if (followers.size === 0) return
      interrupt()
      const timer = setTimeout(open, reopenAfterMs)
      stream.close = () => clearTimeout(timer)
    }
    const end = streamClient.subscribe(
      request,
      {
        next({ data, errors = [] }) {
          if (errors.length > 0) noteOutcome(new CombinedError({ graphQLErrors: [...errors] }))
          if (!errors.every(({ extensions }) => PASSING.includes(extensions?.['code']))) {
            reopenAfterMs = REOPEN_REFUSED_AFTER_MS
          }
          if (data) for (const follower of followers) follower.onData(data)
        },
        error: reopen,
        complete: reopen,
      },
      {
        connecting: (again) => again && interrupt(),
        connected() {
          opened = setTimeout(() => change('live'), REFUSED_WITHIN_MS)
        },
      },
    )
    stream.close = () => {
      clearTimeout(opened)
      end()
    }
  }
  open()
  return stream
}

interface LiveOptions<Data> {
  /** Closes the stream while true. */
  readonly paused?: boolean
  onData(data: Data): void
  /** Called after an interruption, in which live events were missed: the page asks for its data again. */
  onMissed?(): void
}

/**
 * Keeps a subscription open while the component is mounted. A hidden tab closes its streams: over HTTP/1.1 a browser
 * opens at most six connections to a server for all of its tabs.
 */
export function useLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { paused = false, ...options }: LiveOptions<NoInfer<Data>>,
): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const onData = useEffectEvent((data: Data) => options.onData(data))
  const onMissed = useEffectEvent(() => options.onMissed?.())
  const key = JSON.stringify(variables)
  const closed = useDocumentVisibility() === 'hidden' || paused
  /** The variables of the stream that was interrupted. */
  const interrupted = useRef<string | null>(null)

  useEffect(() => {
    if (closed) return
    const unfollow = follow(stringifyDocument(document), key, {
      onData: (data) => onData(data as Data),
      onState(next) {
        setState(next)
        if (next === 'interrupted') interrupted.current = key
        if (next !== 'live' || interrupted.current !== key) return
        interrupted.current = null
        onMissed()
      },
    })
    return () => {
      interrupted.current = key
      unfollow()
    }
  }, [document, key, closed])

  return state
}
