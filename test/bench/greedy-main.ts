import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHttpClient } from './http-client.ts'
import { serveParent } from './script-process.ts'

/** A tenant at its worst. It goes on until its process ends, and ignores what it gets. */
interface Target {
  readonly url: string
  readonly token: string
}

function headersOf({ token }: Target): Record<string, string> {
  return { 'content-type': 'application/json', authorization: `Bearer ${token}` }
}

/** Sends one body on each connection, again and again. */
function repeat(target: Target, connections: number, body: string): void {
  const client = openHttpClient({
    url: `${target.url}/graphql`,
    headers: headersOf(target),
    connections,
  })
  for (let i = 0; i < connections; i++) void lane()

  async function lane(): Promise<never> {
    for (;;) {
      const answer = await client.post(body).catch(() => '')
      // A client waits when it is told to, but not for long.
      if (/"errors"|^$/.test(answer.slice(0, 20))) await sleep(20)
    }
  }
}

/** Opens connections that send a text and then read nothing. */
function openSilent({ url }: Target, count: number, text: string): void {
  const { hostname, port } = new URL(url)
  for (let i = 0; i < count; i++) {
    const open = () => {
      const socket = connect(Number(port), hostname, () => socket.write(text))
      socket.on('error', () => {})
      socket.on('close', () => setTimeout(open, 100))
    }
    open()
  }
}

function headOf({ token }: Target, length: number, accept: string): string {
  return `POST /graphql HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${length}\r\n\r\n`
}

serveParent({
  /** Batches of 1,000 events. */
  publish({ type, data, ...target }: Target & { type: string; data: object }) {
    const query =
      'mutation ($input: PublishEventsInput!) { publishEvents(input: $input) { __typename } }'
    const events = new Array(1_000).fill({ type, data })
    repeat(target, 20, JSON.stringify({ query, variables: { input: { events } } }))
  },

  /** Pages with nearly as many fields as a response may have. */
  query(target: Target) {
    const fields =
      'id state createdAt webhook { id url } event { id type } attempts(first: 5) { nodes { id number } }'
    const pages = ['a', 'b', 'c'].map(
      (alias) => `${alias}: deliveries(first: 100) { nodes { ${fields} } }`,
    )
    repeat(target, 50, JSON.stringify({ query: `{ ${pages.join(' ')} }` }))
  },

  /** As many subscriptions as a key may have, which nobody reads. */
  subscribe(target: Target) {
    const query =
      'subscription { attemptRecorded { id number succeeded delivery { id state event { data } webhook { url } } } }'
    const body = JSON.stringify({ query })
    openSilent(target, 100, headOf(target, body.length, 'text/event-stream') + body)
  },

  /** Bodies that never arrive, and heads that never end. */
  sendSlowly(target: Target) {
    openSilent(target, 500, 'POST /graphql HTTP/1.1\r\nhost: x\r\n')
    openSilent(target, 200, `${headOf(target, 1_000_000, 'application/json')}{`)
  },

  /** Returns the port of an endpoint that accepts connections, and sends nothing. */
  async listenSilently(): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },
})
