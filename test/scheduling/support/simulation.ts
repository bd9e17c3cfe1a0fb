import type { AttemptResult } from '../../../src/scheduling/adaptive-limit.ts'
import { ConcurrencyLimiter } from '../../../src/scheduling/concurrency-limiter.ts'

/** A webhook, its load, and the answers of its endpoint. */
export interface SimulatedWebhook {
  readonly id: string
  readonly organizationId: string
  readonly perSecond: number
  /** Deliveries that arrive at the start. */
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
  /** The limit, once per second. */
  readonly limits: number[]
  rejected: number
}

interface Delivery {
  readonly offeredAt: number
}

interface Sender {
  readonly webhook: SimulatedWebhook
  readonly history: SimulatedHistory
  backlog: Delivery[]
  /** Deliveries that are released and not in the limiter yet. */
  inTransit: number
  inParallel: number
  offered: number
}

/** The time from reading the backlog until the deliveries are in the limiter. */
const RELEASE_MS = 20
const RELEASE_EVERY_MS = 500
const TICK_MS = 100

/** Simulates webhooks of one process, millisecond by millisecond. Rejected deliveries form a backlog. */
export async function simulate(
  webhooks: readonly SimulatedWebhook[],
  { capacity, seconds }: { capacity: number; seconds: number },
): Promise<Map<string, SimulatedHistory>> {
  let nowMs = 0
  const timers = new Map<number, (() => void)[]>()
  const senders = new Map(webhooks.map((webhook) => [webhook.id, startSender(webhook)]))
  const limiter = new ConcurrencyLimiter({
    capacity,
    onFreeCapacity: (webhookId) => release(senders.get(webhookId) as Sender),
    now: () => nowMs,
  })

  function after(ms: number, run: () => void): void {
    const at = nowMs + Math.max(1, Math.round(ms))
    const planned = timers.get(at)
    if (planned) planned.push(run)
    else timers.set(at, [run])
  }

  function offer(sender: Sender, delivery: Delivery): void {
    const { id, organizationId, maxInFlight = null } = sender.webhook
    const candidate = { webhookId: id, organizationId, maxInFlight }
    const settle = (result: string) => {
      if (result === 'acquired') return send()
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
    const acquired = limiter.acquire(candidate)
    if (typeof acquired === 'string') settle(acquired)
    else void acquired.then(settle)
  }

  function release(sender: Sender): void {
    const { id, organizationId, maxInFlight = null } = sender.webhook
    const free = Math.min(
      limiter.freeForWebhook(id, maxInFlight),
      limiter.freeForOrganization(organizationId),
    )
    const released = sender.backlog.splice(0, Math.max(0, free - sender.inTransit))
    sender.inTransit += released.length
    after(RELEASE_MS, () => {
      sender.inTransit -= released.length
      for (const delivery of released) offer(sender, delivery)
    })
  }

  function releaseAll(): void {
    const backlogged = [...senders.values()].filter(({ backlog }) => backlog.length > 0)
    limiter.setBacklogged(new Set(backlogged.map(({ webhook }) => webhook.id)))
    for (const sender of backlogged) release(sender)
  }

  function arrive(sender: Sender): void {
    const { perSecond, batchSize = 0 } = sender.webhook
    const total = batchSize + Math.floor((perSecond * nowMs) / 1_000)
    for (; sender.offered < total; sender.offered += 1) {
      const delivery = { offeredAt: nowMs }
      if (sender.backlog.length > 0) sender.backlog.push(delivery)
      else offer(sender, delivery)
    }
  }

  function record({ webhook, history }: Sender): void {
    history.limits.push(limiter.limitOf(webhook.id) ?? 0)
  }

  for (; nowMs < seconds * 1_000; nowMs += 1) {
    for (const run of timers.get(nowMs) ?? []) run()
    timers.delete(nowMs)
    for (const sender of senders.values()) arrive(sender)
    if (nowMs % TICK_MS === 0) limiter.tick()
    await settleCandidates()
    if (nowMs % RELEASE_EVERY_MS === 0) releaseAll()
    if (nowMs % 1_000 === 999) for (const sender of senders.values()) record(sender)
  }
  return new Map([...senders].map(([id, { history }]) => [id, history]))
}

/** Resolves after the candidates that the limiter has answered. */
async function settleCandidates(): Promise<void> {
  await null
}

function startSender(webhook: SimulatedWebhook): Sender {
  const history = { attempts: [], limits: [], rejected: 0 }
  return { webhook, history, backlog: [], inTransit: 0, inParallel: 0, offered: 0 }
}

/** The quantile `share` of the time that attempts waited. */
export function waitMs(attempts: readonly SimulatedAttempt[], share: number): number {
  const waits = attempts.map(({ offeredAt, startedAt }) => startedAt - offeredAt)
  return waits.toSorted((a, b) => a - b)[Math.ceil(share * waits.length) - 1] ?? 0
}
