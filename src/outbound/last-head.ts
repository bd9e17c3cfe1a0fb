import type { ResponseHead } from './response-head.ts'

/** Of the first piece of a response: what was read from it holds on to all of it. */
const MOST_BYTES = 2_048

/**
 * The last head that came from an origin. Its answers mostly begin with the same bytes, until the second in their `date` is
 * over, and are not read anew.
 */
export class LastHead {
  #head: ResponseHead | null = null
  #bytes: Buffer = Buffer.alloc(0)

  /** How long it was, with the empty line that ends it. */
  get length(): number {
    return this.#bytes.length
  }

  /** The head, where a response begins with it. */
  beginning(response: Buffer): ResponseHead | null {
    const { length } = this
    const isSame =
      response.length >= length && response.compare(this.#bytes, 0, length, 0, length) === 0
    return isSame ? this.#head : null
  }

  /** `length` is that of the head which the response begins with. */
  remember(response: Buffer, length: number, head: ResponseHead): void {
    if (response.length > MOST_BYTES) return
    this.#bytes = Buffer.from(response.subarray(0, length))
    this.#head = head
  }
}
