import { useEffect, useReducer, useState } from 'react'
import type { PosthornClient } from '../client/posthorn-client.ts'
import type { PosthornError } from '../client/posthorn-error.ts'
import { usePosthornClient } from '../client/posthorn-provider.tsx'
import { type ConnectionState, followAttempts } from './follow-attempts.ts'
import type { Attempt } from './use-deliveries.ts'

/** Whether an attempt was answered with 2xx. */
export type Outcome = 'SUCCEEDED' | 'FAILED'

export interface DeliveryLogOptions {
  /** Default: all webhooks that the session may see. */
  readonly webhookId?: string | undefined
  /** Only attempts with this outcome. Default: all. */
  readonly outcome?: Outcome | undefined
  /** The number of attempts to keep: 1 to 100. Default: 50. */
  readonly limit?: number | undefined
}

export interface DeliveryLog {
  /** The newest attempts, newest first. Null until the first list. */
  readonly attempts: readonly Attempt[] | null
  readonly connection: ConnectionState
  /** Why the log is interrupted or has ended. Null while it is live. */
  readonly error: PosthornError | null
  readonly scopes: readonly string[]
  /** Begins again, for example after the log has ended. */
  reload(): void
}

/** Renders this often at most, however many attempts arrive. */
const RENDER_EVERY_MS = 100

/**
 * The newest attempts, live. After a lost connection the log continues with what it missed. A hidden page closes its
 * connection and resumes when it is shown, because browsers open few connections to a server over HTTP/1.1.
 */
export function useDeliveryLog(options: DeliveryLogOptions = {}): DeliveryLog {
  const { webhookId = null, outcome = null, limit = 50 } = options
  const client = usePosthornClient()
  const [round, reload] = useReducer((count: number) => count + 1, 0)
  const [log, setLog] = useState<Log>({ ...EMPTY, client, webhookId })
  const isHidden = useIsHidden()

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round begins again
  useEffect(() => {
    if (isHidden) return
    const aborter = new AbortController()
    const { signal } = aborter
    let arrived: Attempt[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const change = (next: (before: Log) => Partial<Log>) =>
      setLog((before) => {
        const kept = before.client === client && before.webhookId === webhookId ? before : EMPTY
        return { ...kept, ...next(kept), client, webhookId }
      })
    function render() {
      timer = undefined
      const added = arrived
      arrived = []
      change(({ attempts }) => ({ attempts: merge(attempts ?? [], added) }))
    }

    followAttempts(
      client,
      { webhookId, first: LONGEST, signal },
      {
        onList: (listed, scopes) => change(() => ({ scopes, attempts: merge(listed, []) })),
        onAttempt(attempt) {
          arrived.push(attempt)
          timer ??= setTimeout(render, RENDER_EVERY_MS)
        },
        onConnection: (connection, error) => change(() => ({ connection, error })),
      },
    )
    return () => {
      aborter.abort()
      clearTimeout(timer)
    }
  }, [client, webhookId, isHidden, round])

  const { attempts, connection, error, scopes } =
    log.client === client && log.webhookId === webhookId ? log : EMPTY
  const hasOutcome = ({ succeeded }: Attempt) => succeeded === (outcome === 'SUCCEEDED')
  const shown = outcome === null ? attempts : (attempts?.filter(hasOutcome) ?? null)
  return { attempts: shown?.slice(0, limit) ?? null, connection, error, scopes, reload }
}

interface Log {
  readonly client: PosthornClient | null
  readonly webhookId: string | null
  readonly attempts: readonly Attempt[] | null
  readonly connection: ConnectionState
  readonly error: PosthornError | null
  readonly scopes: readonly string[]
}

const EMPTY: Log = {
  client: null,
  webhookId: null,
  attempts: null,
  connection: 'connecting',
  error: null,
  scopes: [],
}

/** Kept of each log, so that a filter by outcome has something to show. */
const LONGEST = 100

/** Sorts as the lists of the API do. An attempt that is sent again replaces itself. */
function merge(attempts: readonly Attempt[], added: readonly Attempt[]): Attempt[] {
  const byId = new Map([...attempts, ...added].map((attempt) => [attempt.id, attempt]))
  return [...byId.values()].sort(newestFirst).slice(0, LONGEST)
}

function newestFirst(one: Attempt, other: Attempt): number {
  if (one.recordedAt !== other.recordedAt) return one.recordedAt < other.recordedAt ? 1 : -1
  return one.id < other.id ? 1 : -1
}

function useIsHidden(): boolean {
  const [isHidden, setHidden] = useState(false)
  useEffect(() => {
    const update = () => setHidden(document.hidden)
    update()
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return isHidden
}
