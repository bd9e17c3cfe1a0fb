import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from './figures.ts'
import { openClient, type Protocol, PUBLISH_PATHS, type Target } from './http-client.ts'
import { serveParent } from './script-process.ts'

/** An application that publishes on keep-alive connections. */
interface Publisher extends Target {
  readonly by: Protocol
  readonly type: string
  readonly connections: number
  readonly data: object
}

interface BackToBack extends Publisher {
  /** The number of events of a call; null: one, with the call for one. */
  readonly batch: number | null
  readonly count: number
}

interface AtRate extends Publisher {
  readonly perSecond: number
  readonly warmUpMs: number
  readonly measureMs: number
}

serveParent({
  /** Publishes `count` events. Each connection publishes again as soon as it gets the response. */
  async publishBackToBack({ by, type, data, batch, connections, count, ...target }: BackToBack) {
    await using client = openClient(target, PUBLISH_PATHS[by], connections)
    const event = { type, data }
    const body = toBody(by, batch === null ? event : new Array(batch).fill(event))
    let started = 0
    async function lane() {
      while (started < count) {
        started += batch ?? 1
        const answer = await client.post(body)
        if (!ACCEPTED.test(answer)) throw new Error(`An event was not accepted: ${answer}`)
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
  },

  /**
   * Publishes at a constant rate, however long responses take. Events after the warm-up contain the time of sending.
   * Returns how many these are, and all.
   */
  async publishAtRate(target: AtRate) {
    const { by, type, perSecond, data, warmUpMs, measureMs, connections } = target
    await using publisher = openClient(target, PUBLISH_PATHS[by], connections)
    const startedAt = monotonicMs()
    const first = (perSecond * warmUpMs) / 1_000
    const last = first + (perSecond * measureMs) / 1_000
    const calls: Promise<void>[] = []

    async function call(body: string) {
      const answer = await publisher.post(body).catch(String)
      if (!ACCEPTED.test(answer)) console.error(`A call failed: ${answer.slice(0, 300)}`)
    }

    for (let next = 0; next < last; next++) {
      // One timer per event instead of a regular one, because this process shares the CPU with the measured ones.
      const waitMs = startedAt + (next * 1_000) / perSecond - monotonicMs()
      if (waitMs > 0) await sleep(Math.ceil(waitMs))
      const sent = { sentAt: next >= first ? monotonicMs() : 0, ...data }
      calls.push(call(toBody(by, { type, data: sent })))
    }
    await Promise.all(calls)
    return { measured: Math.ceil(last) - Math.ceil(first), sent: Math.ceil(last) }
  },
})

function toBody(by: Protocol, published: object): string {
  if (by === 'REST') return JSON.stringify(published)
  const [mutation, type, input] = Array.isArray(published)
    ? ['publishEvents', 'PublishEventsInput!', { events: published }]
    : ['publishEvent', 'PublishEventInput!', published]
  const query = `mutation ($input: ${type}) { ${mutation}(input: $input) { __typename } }`
  return JSON.stringify({ query, variables: { input } })
}

/** The answer of REST, or of GraphQL. */
const ACCEPTED = /^{"(id|events)":|Success"/
