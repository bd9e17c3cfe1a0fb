import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import type { Announce } from '../live/announce.ts'
import type { SendOptions } from '../webhooks/send-options.ts'
import { endHold, type Failures, holdWebhook, shouldHold } from './breaker.ts'
import { type Entrant, Gate } from './gate.ts'
import { createLineReleaser } from './release-lines.ts'
import { createSetAside } from './set-aside.ts'
import { createTakeSlot } from './take-slot.ts'

/** A delivery of which an attempt was made. */
export interface Attempted {
  readonly id: string
  readonly webhookId: string
  readonly organizationId: string
  /** Whether the breaker holds its webhook's deliveries back, and whether it may go all the same, to find out. */
  readonly held: boolean
  readonly isProbe: boolean
}

/** A delivery whose attempt is due, and what its webhook's line says of it. */
export interface Candidate extends Attempted {
  readonly webhook: 'enabled' | 'disabled' | 'deleted'
  readonly isTest: boolean
  /** Whether it is its turn, where a webhook takes one at a time. */
  readonly hasTurn: boolean
  /** The moment that its webhook's rate limit gave to it, in milliseconds from now. */
  readonly slotInMs: number | null
}

/** Leave to send. */
export interface Pass {
  /** How long it took, in which things may have changed. */
  readonly waitedMs: number
  /** Resolves at the moment that the rate limit of its webhook gave to it; `null` where there is none. */
  readonly ready: (() => Promise<void>) | null
  /** To be called once the receiver is done with it. */
  leave(): void
}

/** The moment that a rate limit gave to a delivery, both of `performance.now()`. */
interface Slot {
  readonly askedAt: number
  readonly at: number
}

/** What came of an attempt, once it is on record. */
export interface Result extends Failures {
  readonly succeeded: boolean
  /** Whether no further attempt follows. */
  readonly finished: boolean
}

/** Decides when each delivery goes out. */
export interface Flow extends AsyncDisposable {
  /**
   * Leave to send, as soon as it is the delivery's turn, which is mostly at once; `null` when it was moved into the line of
   * its webhook.
   */
  admit(
    candidate: Candidate,
    options: SendOptions,
    signal: AbortSignal | undefined,
  ): Pass | null | Promise<Pass | null>
  /** Whether an attempt has consequences for the others of its webhook. */
  concerns(attempted: Attempted, options: SendOptions, result: Result): boolean
  /** Draws them. */
  attempted(attempted: Attempted, options: SendOptions, result: Result): Promise<void>
  /** Makes what waits for a webhook due, as far as there is room. */
  release(webhookId: string): Promise<void>
  /** Lets nobody in any more, as the process shuts down: who has not begun leaves it to another one. */
  close(): void
}

export interface FlowOptions {
  /** Attempts under way at once in this process. */
  readonly concurrency: number
  readonly announce: Announce
  readonly onError: (error: unknown) => void
  readonly now: () => Date
}

const TICK_MS = 100
const LOOK_EVERY_MS = 500

/** What it takes to read how things are, so that a delivery is ready when its moment comes. */
const LEAD_MS = 20

/** A slot that was given longer ago than this was lost, as with a process that was killed; another one is taken. */
const SLOT_EXPIRES_AFTER_MS = 1_000

export function createFlow(sql: Sql, { concurrency, announce, onError, now }: FlowOptions): Flow {
  const setAside = createSetAside(sql)
  const takeSlot = createTakeSlot(sql)
  const gate = new Gate({
    capacity: concurrency,
    onCrowded: (webhookId) => void setAside.allDue(webhookId).catch(onError),
    onRoom: (webhookId) => void lines.release(webhookId).catch(onError),
  })
  const lines = createLineReleaser(sql, gate, now)
  let closed = false
  const watched = new WeakSet<AbortSignal>()

  /** Who waits need not once the signal asks to stop. All jobs of a runner share one; another runner may follow it. */
  function turnAwayOn(signal: AbortSignal): void {
    if (watched.has(signal)) return
    watched.add(signal)
    signal.addEventListener('abort', () => gate.turnAllAway())
  }

  const ticking = setInterval(() => gate.tick(), TICK_MS)
  let looking: Promise<void> | null = null
  const look = setInterval(() => {
    looking ??= lines
      .look()
      .catch(onError)
      .finally(() => {
        looking = null
      })
  }, LOOK_EVERY_MS)
  // They keep no process alive.
  ticking.unref()
  look.unref()

  /** It goes into the line, and all that is due with it, so that no worker takes them in vain. */
  async function putInLine(
    { id, webhookId }: Candidate,
    signal: AbortSignal | undefined,
  ): Promise<null> {
    if (closed || signal?.aborted)
      throw new DomainError('unavailable', 'Posthorn is shutting down.')
    await setAside.one(id)
    setAside.allDue(webhookId).catch(onError)
    return null
  }

  /** How long until the webhook's rate limit lets the delivery through; `null` when that is not soon. */
  async function slotOf({ webhookId, slotInMs }: Candidate, ratePerSecond: number) {
    if (slotInMs !== null && slotInMs > -SLOT_EXPIRES_AFTER_MS) return slotInMs
    return await takeSlot({ webhookId, ratePerSecond, released: slotInMs !== null })
  }

  /** Answers the moment that is the delivery's by the rate limit, shortly before; `null` where it must wait in line. */
  async function untilShortlyBeforeSlot(
    candidate: Candidate,
    entrant: Entrant,
    ratePerSecond: number,
  ): Promise<number | null> {
    if (!gate.expect(entrant)) return null
    try {
      const inMs = await slotOf(candidate, ratePerSecond)
      if (inMs === null) return null
      const slotAt = performance.now() + inMs
      if (inMs > LEAD_MS) await sleep(inMs - LEAD_MS)
      return slotAt
    } finally {
      gate.expectNoMore(entrant)
    }
  }

  async function hold(webhookId: string, organizationId: string): Promise<void> {
    if (!(await holdWebhook(sql, webhookId, now()))) return
    gate.turnAway(webhookId)
    announce([{ kind: 'health', organizationId, webhookId, health: 'held' }])
    await setAside.allDue(webhookId)
  }

  /** Through the gate: at once where nobody is before it. */
  function enter(
    candidate: Candidate,
    entrant: Entrant,
    signal: AbortSignal | undefined,
    slot: Slot | null = null,
  ): Pass | Promise<Pass | null> {
    if (closed || signal?.aborted) return putInLine(candidate, signal)
    const askedAt = slot ? slot.askedAt : performance.now()
    const ready = slot && (() => untilThen(slot.at))
    const leave = () => gate.leave(entrant)
    const answered = gate.enter(entrant)
    if (answered === 'enter') {
      return { waitedMs: slot ? performance.now() - askedAt : 0, ready, leave }
    }
    if (answered === 'turned away') return putInLine(candidate, signal)
    return answered.then((answer) =>
      answer === 'enter'
        ? { waitedMs: performance.now() - askedAt, ready, leave }
        : putInLine(candidate, signal),
    )
  }

  async function enterAtSlot(
    candidate: Candidate,
    entrant: Entrant,
    signal: AbortSignal | undefined,
    ratePerSecond: number,
  ): Promise<Pass | null> {
    const askedAt = performance.now()
    const at = await untilShortlyBeforeSlot(candidate, entrant, ratePerSecond)
    if (at === null) return await putInLine(candidate, signal)
    return await enter(candidate, entrant, signal, { askedAt, at })
  }

  return {
    admit(candidate, options, signal) {
      const { webhookId, organizationId, isTest, isProbe } = candidate
      if (signal) turnAwayOn(signal)
      lines.arrived(webhookId)
      if (mustWait(candidate, options)) return putInLine(candidate, signal)

      const { maxInFlight, ratePerSecond } = options
      const entrant = { webhookId, organizationId, maxInFlight }
      return ratePerSecond === null || isTest || isProbe
        ? enter(candidate, entrant, signal)
        : enterAtSlot(candidate, entrant, signal, ratePerSecond)
    },

    concerns: ({ held }, { ordered }, { succeeded, finished }) =>
      held || !succeeded || (ordered && finished),

    async attempted({ id, webhookId, organizationId, held, isProbe }, options, result) {
      if (result.succeeded) {
        if (held && (await endHold(sql, webhookId))) await lines.release(webhookId)
      } else if (held) {
        if (isProbe && !result.finished) await setAside.one(id)
      } else if (shouldHold(result, now())) {
        await hold(webhookId, organizationId)
      }
      if (options.ordered && result.finished) await lines.release(webhookId)
    },

    release: (webhookId) => lines.release(webhookId),

    close() {
      closed = true
      gate.close()
    },

    async [Symbol.asyncDispose]() {
      clearInterval(ticking)
      clearInterval(look)
      gate.close()
      await looking
    },
  }
}

/** Timers are early at times, and never by more than a millisecond. */
async function untilThen(at: number): Promise<void> {
  const inMs = at - performance.now()
  if (inMs > 0) await sleep(Math.ceil(inMs))
}

/** A test and a probe are sent to find out how things are. */
function mustWait(candidate: Candidate, options: SendOptions): boolean {
  if (candidate.webhook !== 'enabled') return true
  if (candidate.isTest || candidate.isProbe) return false
  return candidate.held || (options.ordered && !candidate.hasTurn)
}
