/** Takes the chunks of a body apart (RFC 9112, section 7.1), and reads over their extensions and the trailers. */
export class ChunkedBody {
  readonly #onData: (data: Buffer) => void
  #awaited: 'size' | 'end of data' | 'trailer' = 'size'
  /** How much of the chunk is yet to come. */
  #left = 0
  /** The beginning of a line whose end is yet to come. */
  #line = ''

  constructor(onData: (data: Buffer) => void) {
    this.#onData = onData
  }

  /** Reads on from there; answers where the body ended, or `null` while it has not. */
  read(bytes: Buffer, from: number): number | 'malformed' | null {
    let at = from
    while (at < bytes.length) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, bytes.length)
        this.#onData(bytes.subarray(at, end))
        this.#left -= end - at
        at = end
        continue
      }
      const end = bytes.indexOf('\n', at) + 1
      if (end === 0) {
        this.#line += bytes.toString('latin1', at)
        return null
      }
      const line = this.#line + bytes.toString('latin1', at, end)
      this.#line = ''
      at = end
      const isLast = this.#awaited === 'trailer' && line === '\r\n'
      if (isLast) return at
      if (!line.endsWith('\r\n') || !this.#take(line.slice(0, -2))) return 'malformed'
    }
    return null
  }

  /** Answers whether the line may stand where it does. */
  #take(line: string): boolean {
    if (this.#awaited === 'trailer') return true
    if (this.#awaited === 'end of data') {
      this.#awaited = 'size'
      return line === ''
    }
    const [, size] = CHUNK_SIZE.exec(line) ?? []
    if (size === undefined) return false
    this.#left = Number.parseInt(size, 16)
    this.#awaited = this.#left === 0 ? 'trailer' : 'end of data'
    return true
  }
}

/** Hexadecimal, and maybe extensions after it. */
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i
