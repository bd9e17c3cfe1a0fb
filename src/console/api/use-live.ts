import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type TypedDocumentNode, useClient } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'

/** A stream that lasts this long counts as opened. */
const OPENED_AFTER_MS = 1_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** Whether live updates arrive. */
export type LiveState = 'connecting' | 'live' | 'interrupted'

interface LiveOptions<Data> {
  /** Closes the stream while true. */
  readonly paused?: boolean
  onData(data: Data): void
  /** Called after an interruption, during which live events may have been missed. */
  onReconnect?(): void
}

/**
 * Keeps a subscription open while the component is mounted, and reopens it after the server restarts. A hidden tab
 * closes its streams: over HTTP/1.1 a browser opens at most six connections to a server for all of its tabs.
 */
export function useLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { paused = false, ...options }: LiveOptions<Data>,
): LiveState {
  const client = useClient()
  const [state, setState] = useState<LiveState>('connecting')
  const onData = useEffectEvent((data: Data) => options.onData(data))
  const onReconnect = useEffectEvent(() => options.onReconnect?.())
  const key = JSON.stringify(variables)
  const closed = useDocumentVisibility() === 'hidden' || paused
  const wasInterrupted = useRef(false)

  useEffect(() => {
    if (closed) {
      wasInterrupted.current = true
      return
    }
    let close = () => {}
    let waitMs = FIRST_WAIT_MS

    function open() {
      let ended = false
      const opened = setTimeout(() => {
        setState('live')
        waitMs = FIRST_WAIT_MS
        if (wasInterrupted.current) onReconnect()
        wasInterrupted.current = false
      }, OPENED_AFTER_MS)
      function reopen() {
        if (ended) return
        close()
        wasInterrupted.current = true
        setState('interrupted')
        const timer = setTimeout(open, waitMs)
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
        close = () => clearTimeout(timer)
      }
      const subscription = pipe(
        client.subscription(document, JSON.parse(key) as never),
        onEnd(reopen),
        subscribe(({ data, error }) => {
          if (data) onData(data)
          // Deferred, because a stream must not be closed from inside its own callback.
          if (error) queueMicrotask(reopen)
        }),
      )
      close = () => {
        ended = true
        clearTimeout(opened)
        subscription.unsubscribe()
      }
    }

    open()
    return () => close()
  }, [client, document, key, closed])

  return state
}
