import type { ProxiedConnection } from '../faults/proxied-connection.ts'
import { startTcpProxy } from '../faults/tcp-proxy.ts'

/**
 * A proxy in front of Postgres that lists the statements of its clients as they end, by name or by their first words, and
 * the notifications that wake a client. Those that found or changed no row are marked, such as the claims of a poll.
 */
export async function startStatementProxy(databaseUrl: string) {
  const list: string[] = []
  const readers = new WeakMap<ProxiedConnection, ReturnType<typeof createReaders>>()
  const proxy = await startTcpProxy(databaseUrl, (from, chunk, connection) => {
    const reader = readers.get(connection) ?? createReaders(list)
    readers.set(connection, reader)
    reader[from](chunk)
    return true
  })
  return { list, url: proxy.url, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
function createReaders(list: string[]) {
  /** The text of the last statement without a name. */
  let unnamed = ''
  const running: string[] = []
  return {
    client: createReader(true, (type, body) => {
      const [first = '', second = ''] = body.toString().split('\0')
      if (type === 'P' && first === '') unnamed = second
      if (type === 'B') running.push(second || firstWords(unnamed))
      if (type === 'Q') running.push(firstWords(first))
    }),
    server: createReader(false, (type, body) => {
      if (type === 'A') list.push(`notification ${body.toString('utf8', 4).split('\0')[0]}`)
      // Its command and the number of rows.
      if (type === 'C')
        list.push(`${running[0]}${body.toString().endsWith(' 0\0') ? ', no row' : ''}`)
      if (type === 'Z') running.shift()
    }),
  }
}

/** `hasStartup`: the first message has no type. */
function createReader(hasStartup: boolean, read: (type: string, body: Buffer) => void) {
  let isStartup = hasStartup
  let unread = Buffer.alloc(0)
  return (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const start = isStartup ? 0 : 1
      if (unread.length < start + 4) return
      const end = start + unread.readUInt32BE(start)
      if (unread.length < end) return
      if (!isStartup) read(unread.toString('latin1', 0, 1), unread.subarray(start + 4, end))
      isStartup = false
      unread = unread.subarray(end)
    }
  }
}

const firstWords = (text: string) => text.trim().split(/\s+/).slice(0, 4).join(' ')
