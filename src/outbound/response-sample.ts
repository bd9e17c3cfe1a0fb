import type { Answered } from './outcome.ts'
import type { ResponseHead } from './response-head.ts'

/** Collects what is kept of a response: its head, and the beginning of its body. */
export class ResponseSample {
  readonly #keepBytes: number
  #status = 0
  #headers: Record<string, string> = {}
  #firstByteMs = 0
  #kept: Buffer[] = []
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
    this.#kept.push(kept)
    this.#keptBytes += kept.length
  }

  toOutcome(isComplete: boolean, durationMs: number): Answered {
    const [first, ...rest] = this.#kept
    return {
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: rest.length === 0 ? (first ?? EMPTY) : Buffer.concat(this.#kept),
      bodyTruncated: !isComplete || this.#bodyBytes > this.#keptBytes,
      firstByteMs: this.#firstByteMs,
      durationMs,
      retryAfter: this.#headers['retry-after'] ?? null,
    }
  }
}

const EMPTY = Buffer.alloc(0)
