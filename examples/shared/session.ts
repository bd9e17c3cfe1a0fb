/** The session of this page. Its token is in memory only: a reloaded page asks the host for another session. */
export interface Session {
  /** The address of GraphQL. */
  readonly url: string
  readonly token: string
  /** Why the session has ended for good. Null while it lasts. */
  readonly ended: string | null
  /** Asks the host to renew the session, or for another one if it has expired. Throws if it has ended for good. */
  renew(): Promise<void>
  /** Calls `listener` when the session has ended for good. */
  onEnd(listener: () => void): () => void
}

interface Opened {
  readonly url: string
  readonly id: string
  /** Omitted for a renewed session, which keeps its token. */
  readonly token?: string
  readonly ttlSeconds: number
}

/** Asks the host for a session. */
export async function openSession(): Promise<Session> {
  const first = await ask({})
  let { id, token = '' } = first
  let ended: string | null = null
  let renewing: Promise<void> | null = null
  let timer = renewLater(first.ttlSeconds)
  const listeners = new Set<() => void>()

  // Before the end, so that streams continue. The page also renews when a request finds that the session has expired.
  function renewLater(ttlSeconds: number) {
    return setTimeout(() => session.renew().catch(() => {}), ttlSeconds * 0.8 * 1_000)
  }

  async function renew(): Promise<void> {
    if (ended !== null) throw new Error(ended)
    try {
      const renewed = await ask({ id })
      id = renewed.id
      token = renewed.token ?? token
      clearTimeout(timer)
      timer = renewLater(renewed.ttlSeconds)
    } catch (error) {
      if (error instanceof SessionEnded) {
        ended = error.message
        clearTimeout(timer)
        for (const listener of listeners) listener()
      }
      throw error
    }
  }

  const session: Session = {
    url: first.url,
    get token() {
      return token
    },
    get ended() {
      return ended
    },
    // Requests that fail together ask once.
    renew() {
      renewing ??= renew().finally(() => {
        renewing = null
      })
      return renewing
    },
    onEnd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return session
}

class SessionEnded extends Error {}

async function ask(body: { id?: string }): Promise<Opened> {
  const response = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.ok) return await response.json()
  const { message } = await response.json().catch(() => ({ message: 'The host does not answer.' }))
  throw response.status === 403 ? new SessionEnded(message) : new Error(message)
}
