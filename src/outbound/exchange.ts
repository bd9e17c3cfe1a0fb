import { ConnectionFailure, codeOf, explainFailure, explainTimeout } from './failure.ts'
import { AddressRefused } from './guarded-lookup.ts'
import type { LastHead } from './last-head.ts'
import type { ExchangeLimits } from './limits.ts'
import type { Outcome } from './outcome.ts'
import type { ResponseHead } from './response-head.ts'
import { type ResponseListener, ResponseReader } from './response-reader.ts'
import { ResponseSample } from './response-sample.ts'

/** A connection, as far as the exchange on it is concerned. */
export interface Carrier {
  readonly isReused: boolean
  /** The response ended where it should, so that the connection may rest that long for another exchange. */
  release(keepIdleMs: number): void
  close(): void
}

export interface ExchangeEnd {
  settled(outcome: Outcome): void
  /** Asks to be carried once more, on a new connection. */
  retry(): void
}

type Phase = 'waiting' | 'connecting' | 'responding' | 'reading' | 'done'

/**
 * One request and what becomes of it. It keeps the clocks and counts the bytes, and settles once; what happens on the
 * connection after that no longer matters.
 */
export class Exchange implements ResponseListener {
  readonly request: Buffer
  readonly #limits: ExchangeLimits
  readonly #end: ExchangeEnd
  readonly #sample: ResponseSample
  readonly #reader: ResponseReader
  #phase: Phase = 'waiting'
  #carrier: Carrier | null = null
  #retried = false
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined
  #bytes = 0
  #keepIdleMs = 0

  constructor(request: Buffer, limits: ExchangeLimits, lastHead: LastHead, end: ExchangeEnd) {
    this.request = request
    this.#limits = limits
    this.#end = end
    this.#sample = new ResponseSample(limits.keepBodyBytes)
    this.#reader = new ResponseReader(this, limits.maxHeaderBytes, lastHead)
  }

  /** The receiver's time begins here: waiting for a connection of ours to be free is not its doing. */
  onCarried(carrier: Carrier): void {
    this.#carrier = carrier
    this.#phase = 'connecting'
    if (!this.#retried) this.#startedAt = performance.now()
  }

  /** A connection is being made, at first or because the one at rest turned out to be closed. */
  onConnecting(): void {
    this.#startClock(this.#limits.connectTimeoutMs - this.#elapsedMs())
  }

  onRequestSent(): void {
    this.#phase = 'responding'
    this.#startClock(this.#limits.acknowledgeTimeoutMs)
  }

  onBytes(bytes: Buffer): void {
    if (this.#phase === 'done') return
    const isAwaited = this.#phase === 'responding'
    const { maxHeaderBytes, maxBodyBytes } = this.#limits
    // Also of what frames a body: almost nothing of it may be body.
    if (!isAwaited && this.#bytes > maxHeaderBytes + maxBodyBytes) {
      this.#answer(false)
      return
    }
    this.#bytes += bytes.length
    this.#reader.read(bytes)
    if (isAwaited && this.#isReading) this.#startClock(this.#limits.bodyReadMs)
  }

  onHead(head: ResponseHead): void {
    this.#phase = 'reading'
    this.#keepIdleMs = head.keepIdleMs
    this.#sample.begin(head, this.#elapsedMs())
  }

  onBody(data: Buffer): void {
    if (!this.#isReading) return
    this.#sample.add(data)
    if (this.#sample.bodyBytes > this.#limits.maxBodyBytes) this.#answer(false)
  }

  onEnd(isExact: boolean): void {
    if (this.#isReading) this.#answer(true, isExact)
  }

  onMalformed(why: 'invalid_http' | 'head_too_large'): void {
    if (this.#isReading) this.#answer(false)
    else if (this.#phase !== 'done') this.#fail(new ConnectionFailure(why))
  }

  /** The receiver closed the connection in good order. */
  onClosed(): void {
    if (this.#isReading) this.#answer(this.#reader.endsWithConnection)
    else this.onBroken(new ConnectionFailure('closed_early'))
  }

  onBroken(error: Error): void {
    if (this.#phase === 'done') return
    if (this.#isReading) this.#answer(false)
    else if (!this.#retryIfStale(error)) this.#fail(error)
  }

  /** The caller gives up. A head that has arrived is an answer all the same. */
  abort(): void {
    if (this.#phase === 'done') return
    if (this.#isReading) this.#answer(false)
    else this.#settle({ kind: 'aborted' }, false)
  }

  /**
   * A receiver may close a connection at rest just when it is used again. Then nothing was answered and most likely
   * nothing was read, so the request goes out once more within the same attempt. Delivery is at least once: a receiver
   * that did read it knows the repeat by its id. It happens within the connect time, so the whole stays bounded.
   */
  #retryIfStale(error: Error): boolean {
    const isStale = this.#carrier?.isReused && this.#bytes === 0 && CLOSED.has(codeOf(error))
    const isLate = this.#elapsedMs() >= this.#limits.connectTimeoutMs
    if (!isStale || isLate || this.#retried) return false
    this.#retried = true
    clearTimeout(this.#timer)
    this.#carrier?.close()
    this.#end.retry()
    return true
  }

  #fail(error: Error): void {
    const durationMs = this.#elapsedMs()
    if (error instanceof AddressRefused) {
      this.#settle({ kind: 'refused', reason: 'address-not-public', durationMs }, false)
    } else {
      this.#settle({ kind: 'unreachable', ...explainFailure(error), durationMs }, false)
    }
  }

  #expire(): void {
    const { connectTimeoutMs, acknowledgeTimeoutMs } = this.#limits
    const durationMs = this.#elapsedMs()
    if (this.#phase === 'connecting') {
      this.#settle({ ...explainTimeout('connect', connectTimeoutMs), durationMs }, false)
    } else if (this.#phase === 'responding') {
      this.#settle({ ...explainTimeout('response', acknowledgeTimeoutMs), durationMs }, false)
    } else {
      this.#answer(false)
    }
  }

  get #isReading(): boolean {
    return this.#phase === 'reading'
  }

  #answer(isComplete: boolean, isReusable = false): void {
    this.#settle(this.#sample.toOutcome(isComplete, this.#elapsedMs()), isReusable)
  }

  #settle(outcome: Outcome, isReusable: boolean): void {
    this.#phase = 'done'
    clearTimeout(this.#timer)
    if (isReusable) this.#carrier?.release(this.#keepIdleMs)
    else this.#carrier?.close()
    this.#end.settled(outcome)
  }

  #startClock(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(Exchange.#ring, ms, this)
  }

  /** After a stall of this process, clocks ring before what has arrived meanwhile is read; so it is read first. */
  static readonly #ring = (exchange: Exchange): void => {
    const phase = exchange.#phase
    setImmediate(() => {
      if (exchange.#phase === phase && phase !== 'done') exchange.#expire()
    })
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }
}

/** Ways in which a peer's closing of a connection shows. */
const CLOSED: ReadonlySet<string> = new Set(['closed_early', 'ECONNRESET', 'EPIPE'])
