import { setTimeout as sleep } from 'node:timers/promises'

/** A client that calls REST and GraphQL again and again, and repeats only what gets 503 with `Retry-After`. */
export interface Caller extends AsyncDisposable {
  /** Answers that such a client cannot handle. */
  readonly failures: ReadonlySet<string>
  /** Registers an enabled webhook. */
  register(url: string, eventType: string): Promise<void>
  /** Resolves when each call has been made once more. */
  round(): Promise<void>
}

export interface CallerOptions {
  /** The current URL of the API. */
  readonly url: () => string
  readonly token: string
}

const READ = `{
  deliveries(first: 20) {
    nodes { id state webhook { url health { state } } event { type { name } data } attempts(first: 1) { nodes { number status } } }
  }
}`
const REDELIVER =
  'mutation ($id: ID!) { redeliver(input: { ids: [$id] }) { __typename ... on UserError { message } } }'
const FINISHED = '{ deliveries(filter: { states: SUCCEEDED }, first: 1) { nodes { id } } }'

export function startCaller({ url, token }: CallerOptions): Caller {
  const failures = new Set<string>()
  const stop = new AbortController()
  let webhookId: string | undefined
  let rounds = 0

  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
  async function call(method: string, route: string, body?: object): Promise<any> {
    for (;;) {
      const response = await fetch(url() + route, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      if (response.status === 503 && response.headers.has('retry-after')) {
        await sleep(100)
        continue
      }
      const answer = text === '' ? {} : JSON.parse(text)
      if (!response.ok || answer.errors || text.includes('"message"')) {
        failures.add(`${method} ${route}: ${response.status} ${text.slice(0, 300)}`)
      }
      return answer
    }
  }
  const graphql = (query: string, variables = {}) => call('POST', '/graphql', { query, variables })

  async function callEach(): Promise<void> {
    const webhooks = '/api/connect/v1/webhooks'
    await call('GET', webhooks)
    if (webhookId) {
      await call('PUT', `${webhooks}/${webhookId}`, { description: `Change ${rounds}` })
    }
    await graphql(READ)
    const [finished] = (await graphql(FINISHED)).data?.deliveries.nodes ?? []
    if (finished) await graphql(REDELIVER, { id: finished.id })
  }

  async function callSteadily(): Promise<void> {
    for (; !stop.signal.aborted; rounds++) {
      await callEach().catch((error) => failures.add(String(error.cause ?? error)))
      await sleep(100)
    }
  }

  const calling = callSteadily()
  return {
    failures,
    async register(webhookUrl, eventType) {
      const webhook = { url: webhookUrl, event_subscriptions: [eventType], enabled: true }
      webhookId = (await call('POST', '/api/connect/v1/webhooks', webhook)).id
    },
    async round() {
      // The current round may have begun before this call.
      for (const end = rounds + 2; rounds < end; ) await sleep(20)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await calling
    },
  }
}
