import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeServer, listen } from '../../support/listen.ts'

/** A span as a collector gets it. Ids are hexadecimal. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly id: string
  readonly parentId: string
  readonly traceState: string
  readonly name: string
  readonly kind: number
  /** 2: error. */
  readonly status: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly links: readonly { readonly traceId: string; readonly id: string }[]
  readonly resource: Readonly<Record<string, string | number>>
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>

/** A collector that understands OTLP over HTTP with Protocol Buffers. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const isExport = request.method === 'POST' && request.url === '/v1/traces'
    if (isExport) spans.push(...readExport(body))
    response.writeHead(isExport ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end()
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    spans,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

/** The fields of a message by their number, each in the order of its values. */
type Fields = Map<number, (Buffer | number)[]>

/** https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto/trace/v1 */
function readExport(message: Buffer): ReceivedSpan[] {
  return messages(readFields(message), 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).flatMap((one) => messages(one, 1))
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => ({
        traceId: hex(span, 1),
        id: hex(span, 2),
        traceState: text(span, 3),
        parentId: hex(span, 4),
        name: text(span, 5),
        kind: Number(span.get(6)?.[0] ?? 0),
        attributes: readAttributes(messages(span, 9)),
        links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), id: hex(link, 2) })),
        status: Number(messages(span, 15)[0]?.get(3)?.[0] ?? 0),
        resource: readAttributes(resource),
      })),
    )
  })
}

function readAttributes(pairs: Fields[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = messages(pair, 2)[0]
      return [text(pair, 1), value?.has(1) ? text(value, 1) : Number(value?.get(3)?.[0] ?? 0)]
    }),
  )
}

const bytes = (fields: Fields, number: number) => (fields.get(number)?.[0] as Buffer) ?? Buffer.of()
const text = (fields: Fields, number: number) => bytes(fields, number).toString('utf8')
const hex = (fields: Fields, number: number) => bytes(fields, number).toString('hex')
const messages = (fields: Fields, number: number) =>
  (fields.get(number) ?? []).map((value) => readFields(value as Buffer))

/** https://protobuf.dev/programming-guides/encoding/ */
function readFields(message: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const take = (length: number) => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = varint()
    const type = tag & 7
    const value = type === 0 ? varint() : take(type === 2 ? varint() : type === 1 ? 8 : 4)
    const number = Math.floor(tag / 8)
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}
