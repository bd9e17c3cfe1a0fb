import { setTimeout as sleep } from 'node:timers/promises'
import { JOINED } from '../support/factories.ts'

/** Publishes single events at a steady rate. Each one is retried until it is accepted or rejected. */
export interface Publisher extends AsyncDisposable {
  /** The numbers of the events that were accepted. */
  readonly accepted: Set<number>
  /** The numbers of the events that were rejected as conflicts. */
  readonly rejected: Set<number>
  /** Answers other than an acceptance, a conflict, or 503 with `Retry-After`. */
  readonly unexpectedAnswers: string[]
  /** Resolves with the number of an event that was published and accepted after the call. */
  next(): Promise<number>
}

export interface PublisherOptions {
  /** The current URL of the API. */
  readonly url: () => string
  readonly token: string
  readonly name: string
  readonly perSecond: number
}

const PUBLISH = `mutation Publish($input: PublishEventInput!) {
  publishEvent(input: $input) { __typename ... on UserError { code message } }
}`

/** Every 97th event uses the idempotency key of another event and must be rejected. */
const CONFLICT_EVERY = 97

const MAX_UNANSWERED = 60

export function startPublisher(options: PublisherOptions): Publisher {
  const { url, token, name, perSecond } = options
  const stop = new AbortController()
  const inFlight = new Set<Promise<void>>()
  const result = {
    accepted: new Set<number>(),
    rejected: new Set<number>(),
    unexpectedAnswers: [] as string[],
  }
  let count = 0
  let waiting: { readonly after: number; readonly resolve: (event: number) => void }[] = []

  async function publish(n: number): Promise<void> {
    const isConflict = n % CONFLICT_EVERY === CONFLICT_EVERY - 1
    const idempotencyKey = `${name}-${isConflict ? n - 1 : n}`
    // The other event has to use the key first.
    while (isConflict && !result.accepted.has(n - 1)) await sleep(50)
    for (;;) {
      const answer = await send({ type: JOINED, data: { n }, idempotencyKey })
      if (answer === 'accepted') {
        result.accepted.add(n)
        for (const { resolve } of waiting.filter(({ after }) => n >= after)) resolve(n)
        waiting = waiting.filter(({ after }) => n < after)
      }
      if (answer === 'rejected') result.rejected.add(n)
      if (answer !== 'retry') return
      await sleep(100)
    }
  }

  async function send(input: object): Promise<'accepted' | 'rejected' | 'retry'> {
    let status: number
    let text: string
    let retryAfter: string | null
    try {
      const response = await fetch(`${url()}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: PUBLISH, variables: { input } }),
        signal: AbortSignal.timeout(20_000),
      })
      status = response.status
      text = await response.text()
      retryAfter = response.headers.get('retry-after')
    } catch {
      return 'retry'
    }
    if (status === 503 && retryAfter !== null) return 'retry'
    // The rest of a request did not arrive, because its connection was disturbed.
    if (status === 408) return 'retry'
    const kind = /"__typename":"(\w+)"/.exec(text)?.[1]
    if (status === 200 && kind === 'PublishEventSuccess') return 'accepted'
    if (status === 200 && kind === 'ConflictError') return 'rejected'
    result.unexpectedAnswers.push(`${status} ${text.slice(0, 300)}`)
    return 'retry'
  }

  /** Pauses while too many events are unanswered, and does not catch up afterwards. */
  async function publishSteadily(): Promise<void> {
    for (let lastMs = performance.now(), credit = 0; !stop.signal.aborted; await sleep(10)) {
      const nowMs = performance.now()
      credit = Math.min(credit + ((nowMs - lastMs) / 1_000) * perSecond, perSecond / 10)
      lastMs = nowMs
      for (; credit >= 1 && inFlight.size < MAX_UNANSWERED; credit--) {
        const published = publish(count++)
        inFlight.add(published)
        published.finally(() => inFlight.delete(published))
      }
    }
  }

  const publishing = publishSteadily()
  return {
    ...result,
    next: () => new Promise((resolve) => waiting.push({ after: count, resolve })),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await publishing
      await Promise.all(inFlight)
    },
  }
}
