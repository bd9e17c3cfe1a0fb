import { setTimeout as sleep } from 'node:timers/promises'
import { JOINED } from '../support/factories.ts'

/** A steady load of single events, each published again until it is answered. */
export interface Publisher extends AsyncDisposable {
  /** The numbers of the events that were accepted. */
  readonly accepted: Set<number>
  /** The numbers of those that were refused for what they are. */
  readonly refused: Set<number>
  /** How often a try ended without an answer that settles it. */
  readonly retries: { unavailable: number; broken: number }
  /** What nobody expected an API to answer. */
  readonly surprises: string[]
  /** The longest that a 503 took, in ms. */
  readonly slowestRefusalMs: number
  /** Resolves with the number of an event that was published and accepted after the call. */
  next(): Promise<number>
}

export interface PublisherOptions {
  /** Where the API is at the moment. */
  readonly url: () => string
  readonly token: string
  readonly name: string
  readonly perSecond: number
}

const PUBLISH = `mutation Publish($input: PublishEventInput!) {
  publishEvent(input: $input) { __typename ... on UserError { code message } }
}`

/** One in so many uses the key of another event, and must be refused. */
const CONFLICT_EVERY = 97

const MAX_UNANSWERED = 60

export function startPublisher(options: PublisherOptions): Publisher {
  const { url, token, name, perSecond } = options
  const stop = new AbortController()
  const inFlight = new Set<Promise<void>>()
  const result = {
    accepted: new Set<number>(),
    refused: new Set<number>(),
    retries: { unavailable: 0, broken: 0 },
    surprises: [] as string[],
    slowestRefusalMs: 0,
  }
  let count = 0
  let waiting: { readonly after: number; readonly resolve: (event: number) => void }[] = []

  async function publish(n: number): Promise<void> {
    const isConflict = n % CONFLICT_EVERY === CONFLICT_EVERY - 1
    const idempotencyKey = `${name}-${isConflict ? n - 1 : n}`
    // The key it must not use has to be in use.
    while (isConflict && !result.accepted.has(n - 1)) await sleep(50)
    for (;;) {
      const answer = await send({ type: JOINED, data: { n }, idempotencyKey })
      if (answer === 'accepted') {
        result.accepted.add(n)
        for (const { resolve } of waiting.filter(({ after }) => n >= after)) resolve(n)
        waiting = waiting.filter(({ after }) => n < after)
      }
      if (answer === 'refused') result.refused.add(n)
      if (answer !== 'again') return
      await sleep(100)
    }
  }

  async function send(input: object): Promise<'accepted' | 'refused' | 'again'> {
    const startedAt = performance.now()
    let status: number
    let text: string
    try {
      const response = await fetch(`${url()}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: PUBLISH, variables: { input } }),
        signal: AbortSignal.timeout(20_000),
      })
      status = response.status
      text = await response.text()
    } catch {
      result.retries.broken += 1
      return 'again'
    }
    if (status === 503) {
      result.retries.unavailable += 1
      result.slowestRefusalMs = Math.max(result.slowestRefusalMs, performance.now() - startedAt)
      return 'again'
    }
    const kind = /"__typename":"(\w+)"/.exec(text)?.[1]
    if (status === 200 && kind === 'PublishEventSuccess') return 'accepted'
    if (status === 200 && kind === 'ConflictError') return 'refused'
    result.surprises.push(`${status} ${text.slice(0, 300)}`)
    return 'again'
  }

  /** At the rate, but for as long as too many are unanswered: what is not published meanwhile is not made up for. */
  async function pour(): Promise<void> {
    for (let lastMs = performance.now(), owed = 0; !stop.signal.aborted; await sleep(10)) {
      const nowMs = performance.now()
      owed = Math.min(owed + ((nowMs - lastMs) / 1_000) * perSecond, perSecond / 10)
      lastMs = nowMs
      for (; owed >= 1 && inFlight.size < MAX_UNANSWERED; owed--) {
        const publishing = publish(count++)
        inFlight.add(publishing)
        publishing.finally(() => inFlight.delete(publishing))
      }
    }
  }

  const pouring = pour()
  return {
    ...result,
    get slowestRefusalMs() {
      return result.slowestRefusalMs
    },
    next: () => new Promise((resolve) => waiting.push({ after: count, resolve })),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await pouring
      await Promise.all(inFlight)
    },
  }
}
