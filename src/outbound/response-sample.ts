import type { Answered } from './outcome.ts'
import type { ResponseHead } from './response-head.ts'

/** Collects what is kept of a response: its head, and the beginning of its body. */
export class ResponseSample {
  readonly #keepBytes: number
  #status = 0
  #headers: ResponseHead['headers'] = NONE
  #firstByteMs = 0
  /** Nearly every answer has one piece, or none. */
  #kept: Buffer[] | null = null
  #keptBytes = 0
  #bodyBytes = 0

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes
  }

  get bodyBytes(): number {
    return this.#bodyBytes
  }

  begin({ status, headers }: ResponseHead, firstByteMs: number): void {
    this.#status = status
    this.#headers = headers
    this.#firstByteMs = firstByteMs
  }

  add(chunk: Buffer): void {
    this.#bodyBytes += chunk.length
    const room = this.#keepBytes - this.#keptBytes
    if (room <= 0) return
    // Copied, since the connection reads the next bytes into the same memory.
    const kept = Buffer.from(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#keptBytes += kept.length
    if (this.#kept === null) this.#kept = [kept]
    else this.#kept.push(kept)
  }

  toOutcome(isComplete: boolean, durationMs: number): Answered {
    return {
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: this.#body(),
      bodyTruncated: !isComplete || this.#bodyBytes > this.#keptBytes,
      firstByteMs: this.#firstByteMs,
      durationMs,
      retryAfter: this.#headers['retry-after'] ?? null,
    }
  }

  #body(): Buffer {
    if (this.#kept === null) return EMPTY
    return this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept)
  }
}

const NONE = {}
const EMPTY = Buffer.alloc(0)
