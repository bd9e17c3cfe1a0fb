import type { AttemptResult } from '../../../src/scheduling/adaptive-limit.ts'
import { ConcurrencyLimiter } from '../../../src/scheduling/concurrency-limiter.ts'

/** A webhook, the deliveries offered to it, and how its endpoint answers. */
export interface SimulatedWebhook {
  readonly id: string
  readonly organizationId: string
  readonly perSecond: number
  /** Offered at the start. */
  readonly batchSize?: number
  readonly maxInFlight?: number
  /** `inParallel` counts the attempt itself. */
  answer(inParallel: number, nowMs: number): Omit<AttemptResult, 'startedAt'>
}

export interface SimulatedAttempt {
  readonly offeredAt: number
  readonly startedAt: number
  readonly kind: AttemptResult['kind']
}

export interface SimulatedHistory {
  readonly attempts: SimulatedAttempt[]
  /** The limit and the deliveries not started yet, each second. */
  readonly limits: number[]
  readonly behind: number[]
  rejected: number
}

interface Delivery {
  readonly offeredAt: number
}

interface Sender {
  readonly webhook: SimulatedWebhook
  readonly history: SimulatedHistory
  backlog: Delivery[]
  /** Released from the backlog and not in the limiter yet. */
  coming: number
  inParallel: number
  offered: number
}

/** What a release takes, from reading the backlog until the deliveries are in the limiter. */
const RELEASE_MS = 20
const LOOK_EVERY_MS = 500
const TICK_MS = 100

/** Runs webhooks beside each other in one process, millisecond by millisecond. Rejected deliveries form a backlog. */
export async function simulate(
  webhooks: readonly SimulatedWebhook[],
  { capacity, seconds }: { capacity: number; seconds: number },
): Promise<Map<string, SimulatedHistory>> {
  let nowMs = 0
  const agenda = new Map<number, (() => void)[]>()
  const senders = new Map(webhooks.map((webhook) => [webhook.id, startSender(webhook)]))
  const limiter = new ConcurrencyLimiter({
    capacity,
    onRoom: (webhookId) => release(senders.get(webhookId) as Sender),
    now: () => nowMs,
  })

  function after(ms: number, run: () => void): void {
    const at = nowMs + Math.max(1, Math.round(ms))
    const planned = agenda.get(at)
    if (planned) planned.push(run)
    else agenda.set(at, [run])
  }

  function offer(sender: Sender, delivery: Delivery): void {
    const { id, organizationId, maxInFlight = null } = sender.webhook
    const candidate = { webhookId: id, organizationId, maxInFlight }
    const settle = (answer: string) => {
      if (answer === 'acquired') return send()
      sender.history.rejected += 1
      sender.backlog.push(delivery)
    }
    const send = () => {
      const startedAt = nowMs
      sender.inParallel += 1
      const result = { startedAt, ...sender.webhook.answer(sender.inParallel, nowMs) }
      sender.history.attempts.push({ ...delivery, startedAt, kind: result.kind })
      after(result.durationMs, () => {
        sender.inParallel -= 1
        limiter.release(candidate, result)
      })
    }
    const answer = limiter.acquire(candidate)
    if (typeof answer === 'string') settle(answer)
    else void answer.then(settle)
  }

  function release(sender: Sender): void {
    const { id, organizationId, maxInFlight = null } = sender.webhook
    const room = Math.min(limiter.roomFor(id, maxInFlight), limiter.roomOf(organizationId))
    const released = sender.backlog.splice(0, Math.max(0, room - sender.coming))
    sender.coming += released.length
    after(RELEASE_MS, () => {
      sender.coming -= released.length
      for (const delivery of released) offer(sender, delivery)
    })
  }

  function look(): void {
    const backlogged = [...senders.values()].filter(({ backlog }) => backlog.length > 0)
    limiter.setBacklogged(new Set(backlogged.map(({ webhook }) => webhook.id)))
    for (const sender of backlogged) release(sender)
  }

  function arrive(sender: Sender): void {
    const { perSecond, batchSize = 0 } = sender.webhook
    const due = batchSize + Math.floor((perSecond * nowMs) / 1_000)
    for (; sender.offered < due; sender.offered += 1) {
      const delivery = { offeredAt: nowMs }
      if (sender.backlog.length > 0) sender.backlog.push(delivery)
      else offer(sender, delivery)
    }
  }

  function note({ webhook, history, offered }: Sender): void {
    history.limits.push(limiter.limitOf(webhook.id) ?? 0)
    history.behind.push(offered - history.attempts.length)
  }

  for (; nowMs < seconds * 1_000; nowMs += 1) {
    for (const run of agenda.get(nowMs) ?? []) run()
    agenda.delete(nowMs)
    for (const sender of senders.values()) arrive(sender)
    if (nowMs % TICK_MS === 0) limiter.tick()
    await answered()
    if (nowMs % LOOK_EVERY_MS === 0) look()
    if (nowMs % 1_000 === 999) for (const sender of senders.values()) note(sender)
  }
  return new Map([...senders].map(([id, { history }]) => [id, history]))
}

/** The candidates that were answered have been told by then. */
async function answered(): Promise<void> {
  await null
}

function startSender(webhook: SimulatedWebhook): Sender {
  const history = { attempts: [], limits: [], behind: [], rejected: 0 }
  return { webhook, history, backlog: [], coming: 0, inParallel: 0, offered: 0 }
}

/** The time from being offered to being sent that `share` of the attempts did not exceed. */
export function waitMs(attempts: readonly SimulatedAttempt[], share: number): number {
  const waits = attempts.map(({ offeredAt, startedAt }) => startedAt - offeredAt)
  return waits.toSorted((a, b) => a - b)[Math.ceil(share * waits.length) - 1] ?? 0
}

/** A repeatable source of numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
