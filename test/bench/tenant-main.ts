import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'
import { openHttpClient } from './http-client.ts'
import { serveParent } from './script-process.ts'

/** A tenant that uses the API at a constant rate, however long responses take. */
interface Use {
  readonly url: string
  readonly token: string
  readonly type: string
  readonly data: object
  readonly perSecond: number
  readonly warmUpMs: number
  readonly measureMs: number
}

const PUBLISH =
  'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'
/** Null: the call failed. */
type Time = number | null

const READ =
  '{ deliveries(first: 20) { nodes { id state webhook { url } attempts(first: 1) { nodes { status } } } } }'

serveParent({
  /** The times of the calls in ms, without those of the warm-up. Its events contain no time of sending. */
  async use({ url, token, type, data, perSecond, warmUpMs, measureMs }: Use) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    await using client = openHttpClient({ url: `${url}/graphql`, headers, connections: 200 })
    const startedAt = monotonicMs()
    const first = (perSecond * warmUpMs) / 1_000
    const last = first + (perSecond * measureMs) / 1_000
    const times = { publishMs: [] as Time[], readMs: [] as Time[] }
    const calls: Promise<void>[] = []

    async function call(of: keyof typeof times, query: string, variables: object, number: number) {
      const sentAt = monotonicMs()
      const answer = await client.post(JSON.stringify({ query, variables })).catch(String)
      const isAnswered = answer.startsWith('{"data"')
      if (!isAnswered) console.error(`A call failed: ${answer.slice(0, 300)}`)
      if (number >= first) times[of].push(isAnswered ? monotonicMs() - sentAt : null)
    }

    for (let number = 0; number < last; number++) {
      const waitMs = startedAt + (number * 1_000) / perSecond - monotonicMs()
      if (waitMs > 0) await sleep(Math.ceil(waitMs))
      const sentAt = number < first ? 0 : monotonicMs()
      const input = { type, data: { sentAt, ...data } }
      calls.push(call('publishMs', PUBLISH, { input }, number))
      calls.push(call('readMs', READ, {}, number))
    }
    await Promise.all(calls)
    return { ...times, sent: last, sentInTime: last - Math.ceil(first) }
  },
})
