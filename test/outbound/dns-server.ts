import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'
import { toNumber } from './address-blocks.ts'

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
    const response = writeResponse(query.subarray(0, 2), question, type, content)
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
  { addresses = [], failure }: DnsAnswer,
): Buffer {
  if (failure === 'garbage') return Buffer.concat([id, Buffer.from('8180ffffffff', 'hex')])
  const code = failure === 'NXDOMAIN' ? 3 : failure === 'SERVFAIL' ? 2 : 0
  const given = addresses.filter((address) => (isIP(address) === 6) === (type === 'AAAA'))
  const records = code === 0 ? given.map(writeRecord) : []
  const head = Buffer.from([0x81, 0x80 + code, 0, 1, 0, records.length, 0, 0, 0, 0])
  return Buffer.concat([id, head, question, ...records])
}

/** With a pointer to the name in the question, and a TTL of 0, as in a DNS rebinding attack. */
function writeRecord(address: string): Buffer {
  const name = Buffer.from([0xc0, 12])
  if (isIP(address) === 4) {
    const data = address.split('.').map(Number)
    return Buffer.concat([name, Buffer.from([0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...data])])
  }
  const { hostname } = new URL(`https://[${address}]/`)
  const data = toNumber(hostname.slice(1, -1)).toString(16).padStart(32, '0')
  return Buffer.concat([name, Buffer.from(`001c0001000000000010${data}`, 'hex')])
}
