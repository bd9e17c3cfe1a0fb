import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from './figures.ts'
import { openGraphqlClient, type Target } from './http-client.ts'
import { serveParent } from './script-process.ts'

/** An application that publishes over GraphQL on keep-alive connections. */
interface Publisher extends Target {
  readonly type: string
  readonly connections: number
  readonly data: object
}

/** Publishes for a time, or until as many events are published. */
interface BackToBack extends Publisher {
  /** The number of events of a call; null: one, with the mutation for one. */
  readonly batch: number | null
  readonly warmUpMs?: number
  readonly measureMs?: number
  readonly count?: number
}

interface AtRate extends Publisher {
  readonly perSecond: number
  readonly warmUpMs: number
  readonly measureMs: number
  /** With each event, it reads a page of deliveries. */
  readonly reads: boolean
}

/** In ms; null: the call failed. */
type Time = number | null

const ENDLESS = Number.POSITIVE_INFINITY
const READ =
  '{ deliveries(first: 20) { nodes { id state webhook { url } attempts(first: 1) { nodes { status } } } } }'

serveParent({
  /** Each connection publishes again as soon as it gets the response. */
  async publishBackToBack(target: BackToBack) {
    const { type, data, batch, connections } = target
    const { warmUpMs = 0, measureMs = ENDLESS, count = ENDLESS } = target
    await using client = openGraphqlClient(target, target.connections)
    const input = { type, data }
    const body =
      batch === null
        ? toBody('publishEvent', input)
        : toBody('publishEvents', { events: new Array(batch).fill(input) })
    const startAt = monotonicMs() + warmUpMs
    const endAt = startAt + measureMs
    let started = 0
    let accepted = 0
    let acceptedInTime = 0
    async function lane() {
      while (started < count && monotonicMs() < endAt) {
        started += batch ?? 1
        const answer = await client.post(body)
        if (!isAccepted(answer)) throw new Error(`An event was not accepted: ${answer}`)
        accepted += batch ?? 1
        const atMs = monotonicMs()
        if (atMs >= startAt && atMs < endAt) acceptedInTime += batch ?? 1
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
    return { accepted, acceptedInTime }
  },

  /**
   * Publishes at a constant rate, however long responses take. Events after the warm-up contain the time of sending, and
   * the times of their calls are returned.
   */
  async publishAtRate(target: AtRate) {
    const { type, perSecond, data, warmUpMs, measureMs, reads } = target
    await using client = openGraphqlClient(target, target.connections)
    const startedAt = monotonicMs()
    const first = (perSecond * warmUpMs) / 1_000
    const last = first + (perSecond * measureMs) / 1_000
    const times = { publishMs: [] as Time[], readMs: [] as Time[] }
    const calls: Promise<void>[] = []

    async function call(of: keyof typeof times, body: string, isMeasured: boolean) {
      const sentAt = monotonicMs()
      const answer = await client.post(body).catch(String)
      const failed = of === 'publishMs' ? !isAccepted(answer) : !answer.startsWith('{"data"')
      if (failed) console.error(`A call failed: ${answer.slice(0, 300)}`)
      if (isMeasured) times[of].push(failed ? null : monotonicMs() - sentAt)
    }

    for (let next = 0; next < last; next++) {
      // One timer per event instead of a regular one, because this process shares the CPU with the measured ones.
      const waitMs = startedAt + (next * 1_000) / perSecond - monotonicMs()
      if (waitMs > 0) await sleep(Math.ceil(waitMs))
      const isMeasured = next >= first
      const sent = { sentAt: isMeasured ? monotonicMs() : 0, ...data }
      calls.push(call('publishMs', toBody('publishEvent', { type, data: sent }), isMeasured))
      if (reads) calls.push(call('readMs', JSON.stringify({ query: READ }), isMeasured))
    }
    await Promise.all(calls)
    return { ...times, sent: Math.ceil(last) }
  },
})

const INPUT_TYPES = { publishEvent: 'PublishEventInput!', publishEvents: 'PublishEventsInput!' }

function toBody(mutation: keyof typeof INPUT_TYPES, input: object): string {
  const query = `mutation ($input: ${INPUT_TYPES[mutation]}) { ${mutation}(input: $input) { __typename } }`
  return JSON.stringify({ query, variables: { input } })
}

const isAccepted = (answer: string) => answer.includes('Success"')
