import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

/** The answer to one query. */
export interface DnsAnswer {
  /** IPv4 and IPv6; a query gets those of its type. */
  readonly addresses?: readonly string[]
  readonly failure?: 'NXDOMAIN' | 'SERVFAIL' | 'garbage' | 'silence'
  readonly delayMs?: number
}

/** A name server on this machine (RFC 1035, over UDP), until the end of the test. Calls `answer` for every query. */
export async function openDnsServer(answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer) {
  /** Those so far, such as `A receiver.test`. */
  const queries: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, question } = readQuestion(query)
    queries.push(`${type} ${name}`)
    const { delayMs = 0, ...content } = answer(name, type)
    if (content.failure === 'silence') return
    const response = writeResponse(query.subarray(0, 2), question, type, name, content)
    setTimeout(() => {
      if (open) socket.send(response, from.port, from.address)
    }, delayMs)
  })
  let open = true
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(async () => {
    open = false
    socket.close()
    await once(socket, 'close')
  })
  /** The address is for the option `dnsServers` of a sender. */
  return { queries, address: `127.0.0.1:${socket.address().port}` }
}

function readQuestion(query: Buffer): { name: string; type: 'A' | 'AAAA'; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A'
  return { name: labels.join('.'), type, question: query.subarray(12, at + 5) }
}

function writeResponse(
  id: Buffer,
  question: Buffer,
  type: 'A' | 'AAAA',
  name: string,
  { addresses = [], failure }: DnsAnswer,
): Buffer {
  if (failure === 'garbage') return Buffer.concat([id, Buffer.from('8180ffffffff', 'hex')])
  const code = failure === 'NXDOMAIN' ? 3 : failure === 'SERVFAIL' ? 2 : 0
  const records = addresses
    .filter((address) => (isIP(address) === 6) === (type === 'AAAA'))
    .map((address) => writeRecord(name, type === 'A' ? 1 : 28, writeAddress(address)))
  const head = Buffer.alloc(10)
  head.writeUInt16BE(0x8180 + code, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(code === 0 ? records.length : 0, 4)
  return Buffer.concat([id, head, question, ...(code === 0 ? records : [])])
}

/** With a TTL of 0, as in a DNS rebinding attack. */
function writeRecord(name: string, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10)
  middle.writeUInt16BE(type, 0)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt16BE(data.length, 8)
  return Buffer.concat([writeName(name), middle, data])
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`\0${label}`, 'latin1'))
  for (const label of labels) label[0] = label.length - 1
  return Buffer.concat([...labels, Buffer.from([0])])
}

function writeAddress(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const groups = new URL(`https://[${address}]/`).hostname.slice(1, -1).split('::')
  const [left = [], right = []] = groups.map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const hex = [...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('')
  return Buffer.from(hex, 'hex')
}
