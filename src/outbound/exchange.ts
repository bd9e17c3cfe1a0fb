import { type Dispatcher, errors } from 'undici'
import { connectionEndOf } from './connection-end.ts'
import {
  ConnectionFailure,
  ConnectTimedOut,
  codeOf,
  explainFailure,
  explainTimeout,
} from './failure.ts'
import { AddressRefused } from './guarded-lookup.ts'
import type { ExchangeLimits } from './limits.ts'
import type { Attempted, Outcome } from './outcome.ts'
import { joinHeaders, sizeOfHeaders, type UndiciHeaders } from './response-headers.ts'
import { ResponseSample } from './response-sample.ts'

export interface ExchangeEvents {
  /** The request is on a connection now, or will not be: it makes none. */
  connected(): void
  settled(outcome: Outcome): void
  /** undici is done with the request, so that its connection is free or closed. */
  released(): void
  /** Asks to be dispatched once more, on a new connection. */
  repeat(): void
  /** The request is not valid: a fault of ours. */
  faulted(error: Error): void
}

type Phase = 'waiting' | 'connecting' | 'responding' | 'reading' | 'done'
type Controller = Dispatcher.DispatchController | null

/**
 * One request and what becomes of it, as undici reports it. The clocks are kept here, as those of undici are half a second
 * wide. It settles once; what happens on the connection after that no longer matters.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits
  readonly #events: ExchangeEvents
  readonly #sample: ResponseSample
  #phase: Phase = 'waiting'
  #controller: Controller = null
  #waitingSince: number | null = null
  #startedAt = 0
  #waitedMs = 0
  #resent = false
  #hasResponse = false
  #interimBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: ExchangeLimits, events: ExchangeEvents) {
    this.#limits = limits
    this.#events = events
    this.#sample = new ResponseSample(limits.keepBodyBytes)
  }

  get isWaiting(): boolean {
    return this.#phase === 'waiting'
  }

  /** There is no permit for it yet. */
  startWaiting(): void {
    this.#waitingSince = performance.now()
    this.#startClock(this.#limits.waitTimeoutMs)
  }

  /** To be called before it is dispatched; what it waited until then is not the receiver's time. */
  startConnecting(): void {
    if (this.#phase === 'waiting') {
      this.#stopWaiting()
      this.#startedAt = performance.now()
    }
    this.#phase = 'connecting'
    this.#startClock(this.#limits.connectTimeoutMs - this.#elapsedMs())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#events.connected()
    this.#controller = controller
    if (this.#phase === 'done') this.#giveUp()
    else {
      this.#phase = 'responding'
      this.#startClock(this.#limits.acknowledgeTimeoutMs)
    }
  }

  onResponseStarted(): void {
    this.#hasResponse = true
  }

  onResponseStart(_controller: Controller, status: number, headers: UndiciHeaders): void {
    if (this.#phase !== 'responding') return
    if (status < 200) {
      this.#interimBytes += sizeOfHeaders(headers)
      if (this.#interimBytes <= this.#limits.maxHeaderBytes) return
      this.#fail(new ConnectionFailure('head_too_large'))
      this.#giveUp()
      return
    }
    this.#phase = 'reading'
    this.#sample.begin(status, joinHeaders(headers), this.#elapsedMs())
    this.#startClock(this.#limits.bodyReadMs)
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#phase !== 'reading') return
    this.#sample.add(chunk)
    if (this.#sample.bodyBytes > this.#limits.maxBodyBytes) this.#expire()
  }

  onResponseEnd(): void {
    this.#events.released()
    if (this.#phase === 'reading') this.#answer(true)
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#events.connected()
    if (this.#phase === 'reading') this.#answer(false)
    else if (error instanceof errors.InvalidArgumentError) {
      this.#end()
      this.#events.faulted(error)
    } else if (this.#phase !== 'done') {
      if (this.#isStale(error)) {
        this.#repeat()
        return
      }
      this.#fail(error)
    }
    this.#events.released()
  }

  /** The caller gives up. A head that has arrived is an answer all the same. */
  abort(): void {
    if (this.#phase === 'reading') this.#answer(false)
    else if (this.#phase !== 'done') this.#settle({ kind: 'aborted' })
    this.#giveUp()
  }

  /**
   * A receiver may close a connection at rest just when it is used again. Then nothing was answered and most likely
   * nothing was read, so the request goes out once more within the same attempt. Delivery is at least once: a receiver
   * that did read it knows the repeat by its id. It happens within the connect time, so the whole stays bounded.
   */
  #isStale(error: Error): boolean {
    const end = connectionEndOf(error)
    const isClosed = error instanceof errors.SocketError || CLOSED.has(codeOf(error))
    const isLate = this.#elapsedMs() >= this.#limits.connectTimeoutMs
    const wasIdle = end?.wasUsed && !end.isInvalid && !this.#hasResponse
    return Boolean(isClosed && wasIdle && !isLate && !this.#resent)
  }

  #repeat(): void {
    this.#resent = true
    this.#controller = null
    this.startConnecting()
    this.#events.repeat()
  }

  #fail(error: Error): void {
    const ends = this.#ends()
    if (error instanceof AddressRefused) {
      this.#settle({ kind: 'refused', reason: 'address-not-public', ...ends })
    } else if (error instanceof ConnectTimedOut) {
      this.#settle({ ...explainTimeout('connect', this.#limits.connectTimeoutMs), ...ends })
    } else {
      const { cause = error, isInvalid = false } = connectionEndOf(error) ?? {}
      this.#settle({ kind: 'unreachable', ...explainFailure(cause, isInvalid), ...ends })
    }
  }

  /** A bound is met. */
  #expire(): void {
    if (this.#phase === 'reading') this.#answer(false)
    else if (this.#phase === 'connecting') this.#fail(new ConnectTimedOut())
    else if (this.#phase === 'responding') {
      const timeout = explainTimeout('response', this.#limits.acknowledgeTimeoutMs)
      this.#settle({ ...timeout, ...this.#ends() })
    } else {
      this.#stopWaiting()
      this.#fail(new ConnectionFailure('connections_busy'))
    }
    this.#giveUp()
  }

  #stopWaiting(): void {
    if (this.#waitingSince === null) return
    this.#waitedMs = Math.round(performance.now() - this.#waitingSince)
  }

  #answer(isComplete: boolean): void {
    this.#settle(this.#sample.toOutcome(isComplete, this.#ends()))
  }

  #settle(outcome: Outcome): void {
    this.#end()
    this.#events.settled(outcome)
  }

  /** undici closes the connection, and reports the error back. */
  #giveUp(): void {
    this.#controller?.abort(new GivenUp())
  }

  #end(): void {
    this.#phase = 'done'
    clearTimeout(this.#timer)
  }

  #ends(): Attempted {
    const durationMs = this.#phase === 'waiting' ? 0 : Math.round(this.#elapsedMs())
    return { durationMs, waitedMs: this.#waitedMs, resent: this.#resent }
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
    return performance.now() - this.#startedAt
  }
}

/** Ways in which a peer's closing of a connection shows, besides undici's own. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** What undici is told when nobody waits for a request any more. */
class GivenUp extends Error {
  override readonly name = 'GivenUp'
}
