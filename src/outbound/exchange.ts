import type { Dispatcher } from 'undici'
import { ConnectionFailure, codeOf, explainFailure, explainTimeout } from './failure.ts'
import { AddressRefused } from './guarded-lookup.ts'
import type { ExchangeLimits } from './limits.ts'
import type { Outcome } from './outcome.ts'
import { ResponseSample } from './response-sample.ts'

/** A connection, as far as the exchange on it is concerned. */
export interface Carrier {
  readonly isReused: boolean
  release(): void
  close(): void
}

export interface ExchangeEnd {
  settled(outcome: Outcome): void
  faulted(fault: Error): void
  /** Asks to be carried once more, on a new connection. */
  retry(): void
}

type Phase = 'waiting' | 'connecting' | 'responding' | 'reading' | 'done'

/**
 * One request and what becomes of it, as undici's handler of both. It keeps its own clocks and counts its own bytes,
 * and settles once; what happens on the connection after that no longer matters.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions
  readonly #limits: ExchangeLimits
  readonly #end: ExchangeEnd
  readonly #sample: ResponseSample
  #phase: Phase = 'waiting'
  #carrier: Carrier | null = null
  #retried = false
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined
  #bytes = 0

  constructor(request: Dispatcher.DispatchOptions, limits: ExchangeLimits, end: ExchangeEnd) {
    this.request = request
    this.#limits = limits
    this.#end = end
    this.#sample = new ResponseSample(limits.keepBodyBytes)
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#phase === 'done') controller.abort(new Error('The exchange is over.'))
  }

  onRequestSent(): void {
    this.#phase = 'responding'
    this.#bytes = 0
    this.#startClock(this.#limits.acknowledgeTimeoutMs)
  }

  /** Is given the bytes that arrive before undici reads them; `false` keeps them from it. */
  admit(chunk: Buffer): boolean {
    const { maxHeaderBytes, maxBodyBytes } = this.#limits
    if (this.#phase === 'responding') {
      if (this.#bytes > maxHeaderBytes) this.#fail(new ConnectionFailure('head_too_large'))
      else admitContinue(chunk)
    } else if (this.#bytes > maxHeaderBytes + maxBodyBytes) {
      this.#answer(false)
    }
    this.#bytes += chunk.length
    return this.#phase !== 'done'
  }

  onResponseStart(
    _controller: unknown,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.#phase !== 'responding') return
    this.#phase = 'reading'
    this.#sample.begin(status, headers, this.#elapsedMs())
    this.#startClock(this.#limits.bodyReadMs)
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#phase !== 'reading') return
    this.#sample.add(chunk)
    if (this.#sample.bodyBytes > this.#limits.maxBodyBytes) this.#answer(false)
  }

  onResponseEnd(): void {
    if (this.#phase === 'reading') this.#answer(true)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#phase === 'done') return
    if (this.#phase === 'reading') this.#answer(false)
    else if (!this.#retryIfStale(error)) this.#fail(error)
  }

  /** The caller gives up. A head that has arrived is an answer all the same. */
  abort(): void {
    if (this.#phase === 'done') return
    if (this.#phase === 'reading') this.#answer(false)
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
    } else if (FAULTS.has(codeOf(error))) {
      this.#finish(false)
      this.#end.faulted(error)
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

  #answer(isComplete: boolean): void {
    this.#settle(this.#sample.toOutcome(isComplete, this.#elapsedMs()), isComplete)
  }

  #settle(outcome: Outcome, isReusable: boolean): void {
    this.#finish(isReusable)
    this.#end.settled(outcome)
  }

  #finish(isReusable: boolean): void {
    this.#phase = 'done'
    clearTimeout(this.#timer)
    if (isReusable) this.#carrier?.release()
    else this.#carrier?.close()
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
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** What undici says when the request itself is not valid HTTP. */
const FAULTS: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'])

const CONTINUE = Buffer.from('HTTP/1.1 100')

/**
 * Undici breaks off at a `100 Continue` that it did not ask for, though clients must put up with one (RFC 9110, section
 * 15.2). It skips all other interim responses, so it is shown a 102.
 */
function admitContinue(chunk: Buffer): void {
  const { length } = CONTINUE
  if (chunk.length < length || chunk.compare(CONTINUE, 0, length, 0, length) !== 0) return
  chunk[length - 1] = '2'.charCodeAt(0)
}
