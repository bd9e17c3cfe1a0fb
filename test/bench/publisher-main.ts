import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'
import { openHttpClient } from './http-client.ts'
import { serveParent } from './script-process.ts'

/** An application that publishes over GraphQL on keep-alive connections, with as little CPU time as possible. */
interface Target {
  readonly url: string
  readonly token: string
  readonly connections: number
  readonly data: object
  readonly warmUpMs: number
  readonly measureMs: number
}

/** The type of the events, and how many a call publishes; null: one, with the mutation for one. */
interface Published {
  readonly type: string
  readonly batch: number | null
}

interface Answers {
  readonly accepted: number
  readonly acceptedInTime: number
}

serveParent({
  /** Each connection publishes again as soon as it gets the response. */
  async publishBackToBack(target: Target & Published): Promise<Answers> {
    const { batch, connections, warmUpMs, measureMs } = target
    await using client = openClient(target)
    const body = bodyOf(target)
    const startAt = monotonicMs() + warmUpMs
    const endAt = startAt + measureMs
    let accepted = 0
    let acceptedInTime = 0
    async function lane() {
      while (monotonicMs() < endAt) {
        await client.publish(body)
        accepted += batch ?? 1
        const atMs = monotonicMs()
        if (atMs >= startAt && atMs < endAt) acceptedInTime += batch ?? 1
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
    return { accepted, acceptedInTime }
  },

  /** The same until as many events are published. */
  async publishNumber(
    target: Omit<Target, 'warmUpMs' | 'measureMs'> & Published & { count: number },
  ): Promise<void> {
    const { batch, connections, count } = target
    await using client = openClient(target)
    const body = bodyOf(target)
    let left = count
    async function lane() {
      while (left > 0) {
        left -= batch ?? 1
        await client.publish(body)
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
  },

  /** Publishes at a constant rate, however long responses take. Events after the warm-up contain the time of sending. */
  async publishAtRate(target: Target & { type: string; perSecond: number }): Promise<Answers> {
    const { type, perSecond, data, warmUpMs, measureMs } = target
    await using client = openClient(target)
    const unfinished: Promise<void>[] = []
    const startedAt = monotonicMs()
    const first = (perSecond * warmUpMs) / 1_000
    const last = first + (perSecond * measureMs) / 1_000
    for (let next = 0; next < last; next++) {
      const sendAt = startedAt + (next * 1_000) / perSecond
      // One timer per event instead of a regular one, because this process shares the CPU with the measured ones.
      const waitMs = sendAt - monotonicMs()
      if (waitMs > 0) await sleep(Math.ceil(waitMs))
      const sentAt = next < first ? 0 : monotonicMs()
      const sent = { sentAt, ...data }
      unfinished.push(client.publish(toBody('publishEvent', { type, data: sent })))
    }
    await Promise.all(unfinished)
    return { accepted: unfinished.length, acceptedInTime: unfinished.length - Math.ceil(first) }
  },
})

type Mutation = 'publishEvent' | 'publishEvents'

const INPUT_TYPES = { publishEvent: 'PublishEventInput!', publishEvents: 'PublishEventsInput!' }

function toBody(mutation: Mutation, input: object): string {
  const query = `mutation ($input: ${INPUT_TYPES[mutation]}) { ${mutation}(input: $input) { __typename } }`
  return JSON.stringify({ query, variables: { input } })
}

function bodyOf({ type, data, batch }: Pick<Target, 'data'> & Published): string {
  const input = { type, data }
  if (batch === null) return toBody('publishEvent', input)
  return toBody('publishEvents', { events: new Array(batch).fill(input) })
}

function openClient({ url, token, connections }: Pick<Target, 'url' | 'token' | 'connections'>) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const client = openHttpClient({ url: `${url}/graphql`, headers, connections })
  return {
    async publish(body: string): Promise<void> {
      const answer = await client.post(body)
      if (!answer.includes('Success"')) throw new Error(`An event was not accepted: ${answer}`)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
