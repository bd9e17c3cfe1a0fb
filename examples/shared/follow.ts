import type { Session } from './session.ts'

/** What a client reports of its subscription. */
export interface Sink {
  /** The stream is open: from now on it misses nothing. */
  connected(): void
  /** An item with this id arrived. Null: the stream does not resume after items. */
  received(id: string | null): void
  /** The stream has ended. `code` is that of the GraphQL error, if there is one. */
  lost(code?: string): void
}

export interface FollowOptions {
  readonly session: Session
  /** The newest item of the list. Null: the list is empty, or the stream does not resume after items. */
  readonly after: string | null
  /** Subscribes with the client. Returns how to unsubscribe. */
  readonly subscribe: (after: string | null, sink: Sink) => () => void
  /** Reads the list again. */
  readonly reload: () => Promise<unknown>
  readonly show: (state: StreamState) => void
}

export type StreamState = 'connecting' | 'live' | 'lost' | 'ended'

/**
 * Keeps a subscription for as long as the page needs it. A lost stream is resumed after the last item that arrived, at
 * growing intervals. Returns how to end it.
 */
export function follow({ session, after, subscribe, reload, show }: FollowOptions): () => void {
  let last = after
  let arrived = 0
  let retries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsubscribe = () => {}
  let isWanted = true

  function open() {
    let isOpen = true
    unsubscribe()
    unsubscribe = subscribe(last, {
      connected() {
        retries = 0
        show('live')
        if (last === null) void catchUp()
      },
      received(id) {
        last = id
        arrived++
      },
      lost(code) {
        if (!isOpen) return
        isOpen = false
        if (isWanted) void reopen(code)
      },
    })
  }

  /**
   * A stream that does not begin after an item lacks those before this moment: they are in the list. Reads it again if an
   * item arrived meanwhile, because the list may be older.
   */
  async function catchUp() {
    for (let reads = 0; reads < 3 && isWanted; reads++) {
      const before = arrived
      await reload().catch(() => {})
      if (arrived === before) return
    }
  }

  async function reopen(code?: string) {
    show('lost')
    if (code === 'RELOAD_REQUIRED') last = null
    if (code === 'UNAUTHENTICATED') await session.renew().catch(() => {})
    if (session.ended !== null) return show('ended')
    if (isWanted) timer = setTimeout(open, Math.min(30_000, 500 * 2 ** retries++))
  }

  const stopAtEnd = session.onEnd(() => show('ended'))
  show('connecting')
  open()
  return () => {
    isWanted = false
    clearTimeout(timer)
    stopAtEnd()
    unsubscribe()
  }
}
