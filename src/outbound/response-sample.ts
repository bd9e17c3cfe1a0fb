import { isUtf8 } from 'node:buffer'
import type { Answered, AttemptTiming } from './outcome.ts'

/** Collects the head and the first `keepBytes` of the body of a response. */
export class ResponseSample {
  readonly #keepBytes: number
  #status = 0
  #headers: Answered['headers'] = {}
  #firstByteMs = 0
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #bodyBytes = 0

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes
  }

  get bodyBytes(): number {
    return this.#bodyBytes
  }

  start(status: number, headers: Answered['headers'], firstByteMs: number): void {
    this.#status = status
    this.#headers = headers
    this.#firstByteMs = Math.round(firstByteMs)
  }

  add(chunk: Buffer): void {
    this.#bodyBytes += chunk.length
    const room = this.#keepBytes - this.#keptBytes
    if (room <= 0) return
    // A copy, because a chunk keeps the whole buffer that it was read with in memory.
    const kept = Buffer.from(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#keptBytes += kept.length
    this.#kept.push(kept)
  }

  toOutcome(isComplete: boolean, timing: AttemptTiming): Answered {
    return {
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#kept),
      bodyTruncated: !isComplete || this.#bodyBytes > this.#keptBytes,
      firstByteMs: this.#firstByteMs,
      retryAfter: this.#headers['retry-after'] ?? null,
      ...timing,
    }
  }
}

export type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>

export function joinHeaders(headers: UndiciHeaders): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, decode([value].flat().join(', '))]),
  )
}

/** undici decodes values as Latin-1, but most servers that write other letters than ASCII write UTF-8. */
function decode(value: string): string {
  if (!NOT_ASCII.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

const NOT_ASCII = /[\x80-\xff]/

/** The approximate size on the wire in bytes, including the status line and separators. */
export function sizeOfHeaders(headers: UndiciHeaders): number {
  return Object.entries(headers).reduce((sum, field) => sum + field.join().length + 4, 20)
}
