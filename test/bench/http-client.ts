import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Target {
  /** Of the API. */
  readonly url: string
  readonly token: string
}

/** Where an application publishes. */
export const PUBLISH_PATHS = { REST: '/api/events/v1/events', GraphQL: '/graphql' }
export type Protocol = keyof typeof PUBLISH_PATHS

interface Request {
  readonly body: string
  readonly answer: PromiseWithResolvers<string>
}

interface Connection {
  readonly socket: Socket
  request: Request | null
  unread: string
}

/**
 * A client of one path on this many keep-alive connections. A request waits if all are in use. The client shares the CPU
 * with the measured processes, so it implements only the part of HTTP/1.1 that Posthorn's API uses: undici's pool would
 * halve the rate of single publishes. Responses must have a `content-length`.
 */
export function openClient({ url, token }: Target, path: string, connections: number) {
  const { hostname, port, host } = new URL(url)
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: `
  const all = new Set<Connection>()
  const free: Connection[] = []
  const waiting: Request[] = []

  function open(): Connection {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const connection: Connection = { socket, request: null, unread: '' }
    all.add(connection)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => read(connection, text))
    socket.on('error', (error) => connection.request?.answer.reject(error))
    socket.on('close', () => {
      all.delete(connection)
      // The server closes a connection that is idle for long.
      if (free.includes(connection)) free.splice(free.indexOf(connection), 1)
      connection.request?.answer.reject(new Error('The connection closed before the response.'))
    })
    return connection
  }

  function send(connection: Connection, request: Request): void {
    connection.request = request
    const { body } = request
    connection.socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  function read(connection: Connection, text: string): void {
    connection.unread += text
    const { unread } = connection
    if (messageEnd(unread) === 0) return
    connection.unread = ''
    connection.request?.answer.resolve(unread.slice(unread.indexOf('\r\n\r\n') + 4))
    connection.request = null
    const next = waiting.shift()
    if (next) send(connection, next)
    else free.push(connection)
  }

  return {
    /** Resolves with the body of the response, with any status. Rejects if the connection breaks. */
    post(body: string): Promise<string> {
      const request = { body, answer: Promise.withResolvers<string>() }
      const connection = free.pop() ?? (all.size < connections ? open() : null)
      if (connection) send(connection, request)
      else waiting.push(request)
      return request.answer.promise
    },
    async [Symbol.asyncDispose]() {
      const closed = [...all].map(({ socket }) => once(socket, 'close'))
      for (const { socket } of all) socket.destroy()
      await Promise.all(closed)
    },
  }
}

/** The index of the end of the first message in a text, or 0 while it is incomplete. */
export function messageEnd(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? '0'
  const end = headEnd + 4 + Number(length)
  return text.length >= end ? end : 0
}
