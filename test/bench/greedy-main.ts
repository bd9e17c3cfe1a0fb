import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../support/listen.ts'
import { openClient, type Target } from './http-client.ts'
import { serveParent } from './script-process.ts'

/* A tenant at its worst. It goes on until its process ends, and ignores what it gets. */

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
  /** Sends one request on each connection, again and again. */
  repeat({ connections, request, ...target }: Target & { connections: number; request: object }) {
    const client = openClient(target, '/graphql', connections)
    const body = JSON.stringify(request)
    async function lane(): Promise<never> {
      for (;;) {
        const answer = await client.post(body).catch(() => '')
        // A client waits when it is told to, but not for long.
        if (/"errors"|^$/.test(answer.slice(0, 20))) await sleep(20)
      }
    }
    for (let i = 0; i < connections; i++) void lane()
  },

  /** Sends each request once, all of them as fast as they are answered. Throws if the first one fails. */
  async send({ requests, ...target }: Target & { requests: object[] }) {
    const client = openClient(target, '/graphql', 10)
    const [first] = requests.map(async (request) => await client.post(JSON.stringify(request)))
    const answer = (await first) ?? ''
    if (!answer.includes('Success"')) throw new Error(`A call failed: ${answer.slice(0, 300)}`)
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
    return await listen(server)
  },
})
