import { monotonicMs } from './clock.ts'
import { serveParent } from './script-process.ts'

/** Programs that read events: subscribers with filters, and one consumer. */
interface Target {
  readonly url: string
  readonly token: string
  readonly type: string
  readonly count: number
}

const latencies: number[] = []

serveParent({
  /** Resolves once all subscriptions are open. */
  async subscribe({ url, token, type, count }: Target): Promise<void> {
    const open = Array.from({ length: count }, (_, share) => subscribe(url, token, type, share))
    await Promise.all(open)
  },

  /** The times from publishing to receipt, once `count` events came, or after 5 seconds. */
  async latencies({ count }: { count: number }): Promise<number[]> {
    const endAt = monotonicMs() + 5_000
    while (latencies.length < count && monotonicMs() < endAt) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const missing = new Array<number>(Math.max(0, count - latencies.length))
    return [...latencies, ...missing.fill(Number.POSITIVE_INFINITY)]
  },

  /** Pulls and acknowledges until it has `count` events. Returns how long it took, in ms. */
  async pull({ url, token, count }: Target): Promise<number> {
    const startedAt = monotonicMs()
    let left = count
    do {
      const { pullEvents } = await send(url, token, PULL, {})
      left -= pullEvents.events.length
      if (pullEvents.lease) await send(url, token, ACKNOWLEDGE, { lease: pullEvents.lease })
    } while (left > 0)
    return monotonicMs() - startedAt
  },
})

const PULL = `mutation {
  pullEvents(consumer: "bench", max: 1000, wait: 1) { lease events { id type occurredAt data } }
}`
const ACKNOWLEDGE = `mutation ($lease: ID!) { acknowledgeEvents(consumer: "bench", lease: $lease) }`

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the document
async function send(url: string, token: string, query: string, variables: object): Promise<any> {
  const response = await request(url, token, query, variables, 'application/json')
  const { data, errors } = (await response.json()) as { data: unknown; errors?: object[] }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

async function request(
  url: string,
  token: string,
  query: string,
  variables: object,
  accept: string,
): Promise<Response> {
  return await fetch(`${url}/graphql/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ query, variables }),
  })
}

async function subscribe(url: string, token: string, type: string, share: number): Promise<void> {
  const query = `subscription ($types: [String!], $filter: JSON) {
    events(types: $types, filter: $filter) { id cursor data }
  }`
  const filter = {
    all: [
      { path: '$.share', op: 'equals', value: share },
      { path: '$.sentAt', op: 'greater', value: 0 },
    ],
  }
  const response = await request(url, token, query, { types: [type], filter }, 'text/event-stream')
  if (response.status !== 200) throw new Error(await response.text())
  void read(response)
}

async function read({ body }: Response): Promise<void> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const at = monotonicMs()
    for (const [, sentAt] of text.matchAll(/"sentAt":([\d.]+)/g))
      latencies.push(at - Number(sentAt))
    // An event may begin in one chunk and end in the next.
    text = text.slice(text.lastIndexOf('\n') + 1).replace(/.*"sentAt":[\d.]+/, '')
  }
}
