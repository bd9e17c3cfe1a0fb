import { isUtf8 } from 'node:buffer'
import { type Dispatcher, errors } from 'undici'
import { ConnectionFailure, codeOf, explainNoResponse, TimeLimitReached } from './failure.ts'
import { ConnectionTimer, connectionEndOf } from './guarded-connector.ts'
import type { Answered, AttemptTiming, Outcome } from './outcome.ts'

/** The limits of one request. It takes at most the connect, acknowledge and body timeouts together. */
export interface ExchangeLimits {
  /** For DNS, TCP and TLS, and for resending the request once on another connection. */
  readonly connectTimeoutMs: number
  /** From an open connection to the response head, including sending the request. */
  readonly acknowledgeTimeoutMs: number
  /** For reading the response body. */
  readonly bodyTimeoutMs: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  /** How much of the body the outcome contains. */
  readonly keepBodyBytes: number
}

export const DEFAULT_LIMITS: ExchangeLimits = {
  connectTimeoutMs: 5_000,
  acknowledgeTimeoutMs: 15_000,
  bodyTimeoutMs: 2_000,
  maxHeaderBytes: 16 * 1024,
  maxBodyBytes: 64 * 1024,
  keepBodyBytes: 16 * 1024,
}

export interface ExchangeEvents {
  settled(outcome: Outcome): void
  /** undici no longer uses the connection for this request: it is free or closed. */
  released(): void
  /** The request must be dispatched again, on a new connection. */
  resend(): void
  /** undici rejected the request as invalid, which is a bug in Posthorn. */
  invalidRequest(error: Error): void
}

type Phase = 'connecting' | 'responding' | 'reading' | 'done'
type Controller = Dispatcher.DispatchController | null

/**
 * Turns undici's events for one request into an outcome. It has its own timers, because undici's are only accurate to
 * half a second. It settles once and ignores later events of the connection.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits
  readonly #events: ExchangeEvents
  readonly #connectionTimer = new ConnectionTimer()
  #phase: Phase = 'connecting'
  #controller: Controller = null
  readonly #startedAt = performance.now()
  #resent = false
  #hasResponse = false
  #interimBytes = 0
  #deadline = 0
  #timer: NodeJS.Timeout | undefined
  #head: Pick<Answered, 'status' | 'headers' | 'firstByteMs'> | null = null
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #bodyBytes = 0

  constructor(limits: ExchangeLimits, events: ExchangeEvents) {
    this.#limits = limits
    this.#events = events
  }

  /** Dispatches the request, and measures the connection that undici opens for it. */
  dispatch(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    this.#phase = 'connecting'
    this.#connectionTimer.run(() => dispatcher.dispatch(request, this))
    // With an open connection, the request may have started.
    if (this.#phase !== 'connecting') return
    this.#startTimer(this.#limits.connectTimeoutMs - this.#elapsedMs())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#phase === 'done') this.#abortRequest()
    else {
      this.#phase = 'responding'
      this.#startTimer(this.#limits.acknowledgeTimeoutMs)
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
      this.#abortRequest()
      return
    }
    this.#phase = 'reading'
    const firstByteMs = Math.round(this.#elapsedMs())
    this.#head = { status, headers: joinHeaders(headers), firstByteMs }
    this.#startTimer(this.#limits.bodyTimeoutMs)
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#phase !== 'reading') return
    this.#bodyBytes += chunk.length
    const room = this.#limits.keepBodyBytes - this.#keptBytes
    if (room > 0) {
      // A copy, because a chunk keeps the whole buffer that it was read with in memory.
      const kept = Buffer.from(chunk.subarray(0, room))
      this.#keptBytes += kept.length
      this.#kept.push(kept)
    }
    if (this.#bodyBytes > this.#limits.maxBodyBytes) this.#stopAtLimit()
  }

  onResponseEnd(): void {
    this.#events.released()
    if (this.#phase === 'reading') this.#answer(true)
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#phase === 'reading') this.#answer(false)
    else if (error instanceof errors.InvalidArgumentError) {
      this.#end()
      this.#events.invalidRequest(error)
    } else if (this.#phase !== 'done') {
      if (this.#wasStale(error)) {
        this.#resend()
        return
      }
      this.#fail(error)
    }
    this.#events.released()
  }

  /** Ends the request for the caller. If the response head has arrived, the outcome is still `answered`. */
  abort(): void {
    if (this.#phase === 'reading') this.#answer(false)
    else if (this.#phase !== 'done') this.#settle({ kind: 'aborted' })
    this.#abortRequest()
  }

  /**
   * A receiver may close an idle connection at the moment when it is reused. It has not responded and most likely has
   * not read the request, so the request is sent once more within the same attempt. Delivery is at least once: a
   * receiver that did read it recognizes the duplicate by its id. Only the connect timeout allows a resend, so that the
   * total time stays bounded.
   */
  #wasStale(error: Error): boolean {
    const end = connectionEndOf(error)
    const isClosed = error instanceof errors.SocketError || CLOSED.has(codeOf(error))
    const isLate = this.#elapsedMs() >= this.#limits.connectTimeoutMs
    const wasIdle = end?.wasUsed && !end.isInvalidHttp && !this.#hasResponse
    return Boolean(isClosed && wasIdle && !isLate && !this.#resent)
  }

  #resend(): void {
    this.#resent = true
    this.#controller = null
    this.#events.resend()
  }

  #fail(error: Error): void {
    const { cause = error, isInvalidHttp = false } = connectionEndOf(error) ?? {}
    const why = explainNoResponse(cause, isInvalidHttp)
    this.#settle({ kind: 'failed', ...why, ...this.#timing() })
  }

  /** Ends the request because it reached a time limit or the body's size limit. */
  #stopAtLimit(): void {
    if (this.#phase === 'reading') this.#answer(false)
    else if (this.#phase === 'connecting')
      this.#fail(new TimeLimitReached('connect_timed_out', this.#limits.connectTimeoutMs))
    else this.#fail(new TimeLimitReached('response_timed_out', this.#limits.acknowledgeTimeoutMs))
    this.#abortRequest()
  }

  #answer(isComplete: boolean): void {
    if (this.#head === null) return
    this.#settle({
      kind: 'answered',
      ...this.#head,
      body: Buffer.concat(this.#kept),
      bodyTruncated: !isComplete || this.#bodyBytes > this.#keptBytes,
      retryAfter: this.#head.headers['retry-after'] ?? null,
      ...this.#timing(),
    })
  }

  #settle(outcome: Outcome): void {
    this.#end()
    this.#events.settled(outcome)
  }

  /** undici closes the connection, or stops opening it, and passes the error to `onResponseError`. */
  #abortRequest(): void {
    if (this.#controller) this.#controller.abort(new Error('Posthorn ends the request.'))
    else this.#connectionTimer.abort()
  }

  #end(): void {
    this.#phase = 'done'
    clearTimeout(this.#timer)
  }

  #timing(): AttemptTiming {
    const connection = this.#connectionTimer.times()
    return { durationMs: Math.round(this.#elapsedMs()), resent: this.#resent, connection }
  }

  /** A phase begins. After a stall of this process, timers run before sockets are read; `setImmediate` reads them first. */
  #startTimer(ms: number): void {
    clearTimeout(this.#timer)
    const stop = () => {
      if (this.#deadline <= performance.now() && this.#phase !== 'done') this.#stopAtLimit()
    }
    this.#deadline = performance.now() + ms
    this.#timer = setTimeout(setImmediate, Math.ceil(ms) + 1, stop)
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt
  }
}

/** Error codes of a connection that the peer closed, besides undici's `SocketError`. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>

function joinHeaders(headers: UndiciHeaders): Record<string, string> {
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
function sizeOfHeaders(headers: UndiciHeaders): number {
  return Object.entries(headers).reduce((sum, field) => sum + field.join().length + 4, 20)
}
