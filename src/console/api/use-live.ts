import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type TypedDocumentNode, useClient } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'

/** A stream that lasts so long was opened well. */
const OPENED_AFTER_MS = 1_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** Whether what is shown follows what happens. */
export type LiveState = 'connecting' | 'live' | 'interrupted'

interface LiveOptions<Data> {
  /** Closes the stream for as long as it is true. */
  readonly paused?: boolean
  onData(data: Data): void
  /** After an interruption, in which things may have happened that were not told. */
  onReconnect?(): void
}

/**
 * Keeps a subscription open for as long as the component is seen, through restarts of the server. A tab in the
 * background lets go of it: over HTTP/1.1 a browser has six connections to a server for all of its tabs.
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
          // Not from within the stream that it closes.
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
