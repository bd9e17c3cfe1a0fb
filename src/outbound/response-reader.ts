import { ChunkedBody } from './chunked-body.ts'
import type { LastHead } from './last-head.ts'
import { mayBeginHead, parseResponseHead, type ResponseHead } from './response-head.ts'

export interface ResponseListener {
  onHead(head: ResponseHead): void
  /** The memory is the connection's, and is used again as soon as this returns. */
  onBody(data: Buffer): void
  /** The response is complete; `isExact`: nothing came after it. */
  onEnd(isExact: boolean): void
  onMalformed(why: 'invalid_http' | 'head_too_large'): void
}

/** Reads one response from the bytes of a connection, however they are cut. Interim responses are read over. */
export class ResponseReader {
  readonly #listener: ResponseListener
  readonly #maxHeadBytes: number
  readonly #lastHead: LastHead
  /** Of the head, as far as it has come. */
  #unread = ''
  /** Of the interim responses before it. */
  #interimBytes = 0
  /** How much of the body is yet to come; `null` before it begins. */
  #left: number | ChunkedBody | null = null

  constructor(listener: ResponseListener, maxHeadBytes: number, lastHead: LastHead) {
    this.#listener = listener
    this.#maxHeadBytes = maxHeadBytes
    this.#lastHead = lastHead
  }

  /** Whether the response is complete when the receiver closes the connection now. */
  get endsWithConnection(): boolean {
    return this.#left === Infinity
  }

  /** Not to be called again after the end, or after what was malformed. */
  read(bytes: Buffer): void {
    const from = this.#left === null ? this.#readBeginning(bytes) : 0
    if (this.#left === null) return
    if (typeof this.#left === 'number') this.#readBody(bytes, from, this.#left)
    else this.#readChunks(bytes, from, this.#left)
  }

  /** Answers where the body begins, once the head is complete. */
  #readBeginning(bytes: Buffer): number {
    const isFirst = this.#unread === '' && this.#interimBytes === 0
    const known = isFirst ? this.#lastHead.beginning(bytes) : null
    if (known === null) return this.#readHead(bytes, isFirst)
    this.#begin(known)
    return this.#lastHead.length
  }

  #readHead(bytes: Buffer, isFirst: boolean): number {
    const before = this.#unread.length
    const text = this.#unread + bytes.toString('latin1')
    let start = 0
    for (;;) {
      const found = text.indexOf(HEAD_END, start)
      const end = found === -1 ? text.length : found
      if (this.#interimBytes + end - start > this.#maxHeadBytes) {
        this.#listener.onMalformed('head_too_large')
        return 0
      }
      if (found === -1) break
      const head = parseResponseHead(text.slice(start, end))
      if (head === null) {
        this.#listener.onMalformed('invalid_http')
        return 0
      }
      const next = end + HEAD_END.length
      if (head.status >= 200) {
        if (isFirst && start === 0) this.#lastHead.remember(bytes, next, head)
        this.#begin(head)
        return next - before
      }
      this.#interimBytes += next - start
      start = next
    }
    this.#unread = text.slice(start)
    if (!mayBeginHead(this.#unread)) this.#listener.onMalformed('invalid_http')
    return 0
  }

  #begin(head: ResponseHead): void {
    this.#left =
      head.bodyLength === 'chunked'
        ? new ChunkedBody((data) => this.#listener.onBody(data))
        : head.bodyLength
    this.#listener.onHead(head)
  }

  #readBody(bytes: Buffer, from: number, left: number): void {
    const taken = Math.min(left, bytes.length - from)
    if (taken > 0) this.#listener.onBody(bytes.subarray(from, from + taken))
    this.#left = left - taken
    if (this.#left === 0) this.#listener.onEnd(from + taken === bytes.length)
  }

  #readChunks(bytes: Buffer, from: number, chunks: ChunkedBody): void {
    const end = chunks.read(bytes, from)
    if (end === 'malformed') this.#listener.onMalformed('invalid_http')
    else if (end !== null) this.#listener.onEnd(end === bytes.length)
  }
}

const HEAD_END = '\r\n\r\n'
