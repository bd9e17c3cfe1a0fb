import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * The client of the bench. It shares the processor with what is measured, so it speaks as much of HTTP/1.1 as Posthorn's
 * API and it do, by hand, and no more: answers without a `content-length` are none.
 */
export interface HttpClient extends AsyncDisposable {
  /** Resolves with the body of the answer, whatever its status; fails where the connection breaks. */
  post(body: string): Promise<string>
}

export interface HttpClientOptions {
  /** With a path. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How many connections are kept; a request that finds all in use waits for one. */
  readonly connections: number
}

interface Request {
  readonly body: string
  readonly answer: PromiseWithResolvers<string>
}

interface Connection {
  readonly socket: Socket
  request: Request | null
  unread: string
}

export function openHttpClient({ url, headers, connections }: HttpClientOptions): HttpClient {
  const { hostname, port, host, pathname } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}content-length: `
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
      connection.request?.answer.reject(new Error('The connection closed before the answer.'))
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
    const body = bodyOf(connection.unread)
    if (body === null) return
    connection.unread = ''
    connection.request?.answer.resolve(body)
    connection.request = null
    const next = waiting.shift()
    if (next) send(connection, next)
    else free.push(connection)
  }

  return {
    post(body) {
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

/** Of an answer; `null` while that is not complete. */
function bodyOf(text: string): string | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd)) ?? []
  if (length === undefined) throw new Error(`An answer does not say how long it is: ${text}`)
  const end = headEnd + 4 + Number(length)
  return text.length >= end ? text.slice(headEnd + 4, end) : null
}
