import { isDatabaseUnavailable } from '../../db/faults.ts'
import type { Notify } from '../../live/notify.ts'
import type { Ended } from '../../outbound/outcome.ts'
import type { TaskRun } from '../../queue/jobs.ts'
import type { AttemptResult } from '../../scheduling/adaptive-limit.ts'
import { reasonToPark } from '../../scheduling/scheduled-delivery.ts'
import type { Permit, Scheduler } from '../../scheduling/scheduler.ts'
import type { DeliveryReporter } from '../../telemetry/events.ts'
import type { OpenSpan, Tracing } from '../../telemetry/tracing.ts'
import type { IsCurrentRevision } from '../../webhooks/is-current-revision.ts'
import type { FindSendOptions } from '../../webhooks/send-options.ts'
import {
  type AttemptRecord,
  type PlannedAttempt,
  toAttemptRecord,
  toUnsentRecord,
} from './attempt-record.ts'
import type { DeliveryJobs } from './delivery-jobs.ts'
import { type ExchangeDeps, exchange, type Sendable } from './exchange.ts'
import { isSuspect, type LoadBody, type LoadDelivery, mustRunAlone } from './load-delivery.ts'
import type { PayloadMemory } from './payload-memory.ts'
import type { RecordAttempt, RecordedAttempt } from './record-attempt.ts'
import { waitMs } from './retry-policy.ts'
import type { ExchangeThread, RunAlone } from './run-alone.ts'
import { endAttemptSpan, traceAttempt } from './trace-attempt.ts'

export interface AttemptDeps extends ExchangeDeps {
  readonly load: LoadDelivery
  readonly loadBody: LoadBody
  readonly payloads: PayloadMemory
  readonly findSendOptions: FindSendOptions
  readonly isCurrentRevision: IsCurrentRevision
  readonly scheduler: Scheduler
  readonly alone: RunAlone
  readonly record: RecordAttempt
  readonly notify: Notify
  readonly jobs: DeliveryJobs
  readonly report: DeliveryReporter
  readonly tracing: Tracing
  readonly retryScheduleMs: readonly number[]
  readonly now: () => Date
}

export interface DeliveryRun extends TaskRun {
  /** The organization whose queue of deliveries that run alone has the job. Null: the job has no queue. */
  readonly aloneOf: string | null
}

/**
 * Makes one attempt for a delivery: load, acquire a permit, sign, send, record. A receiver's failure is an outcome,
 * which schedules the next attempt. A thrown error is a fault of Posthorn, and graphile-worker runs the job again.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  uuid: string,
  run: DeliveryRun,
): Promise<void> {
  try {
    const attempt = (thread: ExchangeThread | null) => makeAttempt(deps, uuid, { ...run, thread })
    await (run.aloneOf === null ? attempt(null) : deps.alone.withThread(run.aloneOf, attempt))
  } catch (error) {
    if (!run.signal.aborted && !isDatabaseUnavailable(error)) await deps.jobs.markFault(uuid)
    throw error
  }
}

interface AttemptRun extends TaskRun {
  /** The thread on which the attempt runs alone. Null: it runs with others. */
  readonly thread: ExchangeThread | null
}

async function makeAttempt(deps: AttemptDeps, uuid: string, run: AttemptRun): Promise<void> {
  await run.ensureClaimed()
  const sendable = await loadSendable(deps, uuid)
  if (!sendable) return
  const { delivery } = sendable
  if (mustRunAlone(delivery) && !run.thread) return await deps.alone.queue(delivery)
  const permit = await deps.scheduler.acquire(sendable.delivery, sendable.options, run.signal)
  if (permit === 'parked') return
  if (permit === 'aborted') return await requeue(deps, uuid, run)

  const attempt =
    sendable.delivery.data === null
      ? await attemptWithMemory(deps, sendable, permit, run)
      : await attemptWithPermit(deps, sendable, permit, permit.waitedMs, run)
  if (attempt === 'aborted') return await requeue(deps, uuid, run)
  // The webhook was disabled or put on hold while the delivery waited for its permit, or there was no connection for it:
  // nothing was sent. Now the scheduler parks the delivery or makes it wait.
  if (attempt === 'changed' || attempt === 'busy') return await makeAttempt(deps, uuid, run)
  await run.ensureClaimed()
  const recorded = await deps.record(attempt)
  if (recorded) await publishResult(deps, sendable, attempt, recorded)
}

/** Checks the claim first: after a rescue, the delivery's job belongs to another runner. */
async function requeue(deps: AttemptDeps, uuid: string, run: TaskRun): Promise<void> {
  await run.ensureClaimed()
  await deps.jobs.requeue(uuid)
}

/** `null` if there is nothing to send: the delivery has finished or was canceled, or its webhook was deleted. */
async function loadSendable(deps: AttemptDeps, uuid: string): Promise<Sendable | null> {
  let delivery = await deps.load(uuid)
  if (delivery?.state === 'exhausted') {
    // The failed job of an exhausted delivery stays visible. Only an operator runs such a job again.
    await deps.jobs.reopen(uuid)
    delivery = await deps.load(uuid)
  }
  if (delivery?.state !== 'pending') return null
  // The job that the deletion added cancels the deliveries of the webhook.
  if (delivery.webhook === 'deleted') return null
  if (delivery.dataBytes === null) {
    await deps.jobs.cancel(delivery.id)
    return null
  }
  const found = deps.findSendOptions(delivery.webhookId, delivery.revision)
  const options = found instanceof Promise ? await found : found
  return options && { delivery, options }
}

/** In place of a body: the thread on which the attempt runs alone loads it. */
const ALONE = Symbol('alone')

/** A large payload waits for memory with its permit. */
async function attemptWithMemory(
  deps: AttemptDeps,
  sendable: Sendable,
  permit: Permit,
  run: AttemptRun,
): ReturnType<typeof attemptWithPermit> {
  const { organizationId, dataBytes } = sendable.delivery
  const startedAt = performance.now()
  const release = await deps.payloads.acquire(organizationId, dataBytes ?? 0)
  const waitedMs = permit.waitedMs + performance.now() - startedAt
  try {
    return await attemptWithPermit(deps, sendable, permit, waitedMs, run)
  } finally {
    release()
  }
}

async function attemptWithPermit(
  deps: AttemptDeps,
  loaded: Sendable,
  permit: Permit,
  waitedMs: number,
  run: AttemptRun,
): Promise<AttemptRecord | 'changed' | 'busy' | 'aborted'> {
  let result: AttemptResult | null = null
  let span: OpenSpan | null = null
  let record: AttemptRecord | null = null
  try {
    if (run.signal.aborted) return 'aborted'
    const sendable = waitedMs === 0 ? loaded : await reloadIfStale(deps, loaded, waitedMs)
    if (!sendable || reasonToPark(sendable.delivery, sendable.options) !== null) return 'changed'
    if (permit.reservation) await permit.reservation
    const loading = isSuspect(sendable.delivery) ? ALONE : deps.loadBody(sendable.delivery)
    const body = loading instanceof Promise ? await loading : loading
    // The event was deleted or erased meanwhile, and the delivery is canceled once it is loaded again.
    if (body === null) return 'changed'
    const plan = planAttempt(deps, sendable, run)
    span = traceAttempt(deps.tracing, plan)
    const started = { startedAt: plan.startedAt, ownTrace: span?.context ?? null }
    let startedAt = performance.now()
    const control = {
      signal: run.signal,
      mayGoOn: permit.mayGoOn,
      async beforeSend() {
        await run.ensureClaimed()
        deps.report.started(plan.startedAt.getTime() - run.runAt.getTime())
        startedAt = performance.now()
      },
    }
    const exchanged =
      body === ALONE
        ? await deps.alone.exchange(run.thread, sendable.delivery, started, control)
        : await exchange(deps, sendable, body, started, control)
    if (typeof exchanged === 'string') return exchanged
    if ('unsent' in exchanged) {
      record = toUnsentRecord(plan, exchanged.unsent)
      return record
    }
    const { request, outcome } = exchanged
    // Neither a shutdown of this process nor a limit of its own is an attempt.
    if (outcome.kind === 'aborted' || outcome.kind === 'busy') return outcome.kind
    result = { startedAt, durationMs: outcome.durationMs, kind: loadSignal(outcome) }
    const endedAt = deps.now()
    record = toAttemptRecord(plan, request, outcome, endedAt)
    const holdMs = waitMs(outcome, endedAt)
    if (holdMs > 0) deps.scheduler.hold(sendable.delivery, holdMs)
    return record
  } finally {
    endAttemptSpan(span, record)
    permit.release(result)
  }
}

/** After a shorter wait, the revision of the webhook is enough to check. */
const MAX_WAIT_WITHOUT_RELOAD_MS = 100

/** During a wait, the webhook may get another secret or URL, or be disabled. */
async function reloadIfStale(
  deps: AttemptDeps,
  sendable: Sendable,
  waitedMs: number,
): Promise<Sendable | null> {
  const { id, webhookId, revision } = sendable.delivery
  if (
    waitedMs < MAX_WAIT_WITHOUT_RELOAD_MS &&
    (await deps.isCurrentRevision(webhookId, revision))
  ) {
    return sendable
  }
  return await loadSendable(deps, id)
}

function planAttempt(
  deps: AttemptDeps,
  { delivery, options }: Sendable,
  { runAt }: TaskRun,
): PlannedAttempt {
  return {
    delivery,
    options,
    isProbe: delivery.holdReason === 'failing' && delivery.isProbe,
    scheduleMs: delivery.sendsOnce ? [] : (options.retryScheduleMs ?? deps.retryScheduleMs),
    runAt,
    startedAt: deps.now(),
  }
}

/**
 * What an outcome says about the load of the endpoint. A 500 is neutral: it usually means a bug with some payloads, and
 * an endpoint that answers a tenth of its events with 500 would be throttled to a few in flight and fall behind.
 */
function loadSignal(outcome: Ended): AttemptResult['kind'] {
  if (outcome.kind === 'refused') return 'neutral'
  if (outcome.kind === 'timed-out' && outcome.phase === 'response') return 'overload'
  if (outcome.kind !== 'answered') return 'unreachable'
  if (outcome.status === 500) return 'neutral'
  return isOverload(outcome.status) ? 'overload' : 'ok'
}

function isOverload(status: number): boolean {
  return status === 429 || status > 500
}

/**
 * Logs a recorded attempt, notifies subscribers, and lets the scheduler continue with the webhook's other deliveries.
 */
async function publishResult(
  deps: AttemptDeps,
  { delivery, options }: Sendable,
  record: AttemptRecord,
  recorded: RecordedAttempt,
): Promise<void> {
  const { webhookId, organizationId } = delivery
  const { succeeded } = record
  const { attemptId, state, consecutiveFailures, failingMs } = recorded
  deps.report.attempted(delivery.id, webhookId, record, recorded)
  deps.notify(organizationId, attemptId)
  await deps.scheduler.handleResult(delivery, options, {
    succeeded,
    isReady: record.status !== null && !isOverload(record.status),
    finished: state !== 'pending',
    consecutiveFailures,
    failingMs,
  })
}
