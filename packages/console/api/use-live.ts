import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type CombinedError, createRequest, type TypedDocumentNode, useClient } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'
import { followStream, noteAcceptance } from './accepted-streams.ts'
import { createResumePoint, type LiveItem } from './resume-point.ts'
import { type Fetch, fetchUnlessSilent } from './silence-limit.ts'

/** A stream counts as opened this long after the server accepted it. An error of a subscription comes within a second. */
const OPENED_AFTER_MS = 1_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** Whether live updates arrive. */
export type LiveState = 'connecting' | 'live' | 'interrupted'

interface LiveOptions<Data> {
  /** Closes the stream while true. */
  readonly paused?: boolean
  onData(data: Data): void
  /** Where the stream resumes after this data. Without it, the stream begins now each time it opens. */
  itemOf?(data: Data): LiveItem | null
  /** Called after an interruption in which live events were missed that the resumed stream does not repeat. */
  onMissed?(): void
}

/**
 * Keeps a subscription open while the component is mounted. After an interruption, such as a restart of the server, it
 * resumes after the last item, or begins now if there was none or the server asks for a reload. A hidden tab closes its
 * streams: over HTTP/1.1 a browser opens at most six connections to a server for all of its tabs.
 */
export function useLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { paused = false, ...options }: LiveOptions<NoInfer<Data>>,
): LiveState {
  const client = useClient()
  const [state, setState] = useState<LiveState>('connecting')
  const onData = useEffectEvent((data: Data) => options.onData(data))
  const itemOf = useEffectEvent((data: Data) => options.itemOf?.(data) ?? null)
  const onMissed = useEffectEvent(() => options.onMissed?.())
  const key = JSON.stringify(variables)
  const closed = useDocumentVisibility() === 'hidden' || paused
  const resume = useRef({ key, point: createResumePoint(), hasGap: false })

  useEffect(() => {
    // Other variables are another stream.
    if (resume.current.key !== key) {
      resume.current = { key, point: createResumePoint(), hasGap: false }
    }
    const { current } = resume
    const noteInterruption = () => {
      if (current.point.after === null) current.hasGap = true
    }
    if (closed) {
      noteInterruption()
      return
    }
    let close = () => {}
    let waitMs = FIRST_WAIT_MS

    function open() {
      let ended = false
      const { after } = current.point
      let opened: ReturnType<typeof setTimeout>
      function onAccepted() {
        if (ended) return
        opened = setTimeout(() => {
          setState('live')
          waitMs = FIRST_WAIT_MS
          if (current.hasGap) onMissed()
          current.hasGap = false
        }, OPENED_AFTER_MS)
      }
      function reopen(error?: CombinedError) {
        if (ended) return
        close()
        if (asksForReload(error)) current.point.forget()
        noteInterruption()
        setState('interrupted')
        const timer = setTimeout(open, waitMs)
        waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
        close = () => clearTimeout(timer)
      }
      const request = createRequest<Data, Variables>(document, {
        ...JSON.parse(key),
        ...(after && { after }),
      })
      const unfollow = followStream(request.key, onAccepted)
      // If another component follows the same stream, its request is shared, and this `fetch` is not called.
      const subscription = pipe(
        client.executeSubscription(request, {
          fetch: afterAnswer(fetchUnlessSilent, () => noteAcceptance(request.key)),
        }),
        onEnd(() => reopen()),
        subscribe(({ data, error }) => {
          if (data) {
            const item = itemOf(data)
            if (item === null || current.point.accept(item)) onData(data)
          }
          // Deferred, because a stream must not be closed from inside its own callback.
          if (error) queueMicrotask(() => reopen(error))
        }),
      )
      close = () => {
        ended = true
        clearTimeout(opened)
        unfollow()
        subscription.unsubscribe()
      }
    }

    open()
    return () => close()
  }, [client, document, key, closed])

  return state
}

function asksForReload(error: CombinedError | undefined): boolean {
  return (
    error?.graphQLErrors.some(({ extensions }) => extensions['code'] === 'RELOAD_REQUIRED') ?? false
  )
}

/** `fetch`, which also reports each successful answer. */
function afterAnswer(fetch: Fetch, onAnswer: () => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok) onAnswer()
    return response
  }
}
