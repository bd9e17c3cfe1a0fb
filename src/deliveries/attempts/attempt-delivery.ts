import { TOO_LARGE } from '../../bodies/body.ts'
import { isDatabaseUnavailable } from '../../db/faults.ts'
import { publicId } from '../../db/ids.ts'
import type { HttpSender } from '../../outbound/http-sender.ts'
import type { Ended } from '../../outbound/outcome.ts'
import type { TaskRun } from '../../queue/jobs.ts'
import type { AttemptResult } from '../../scheduling/adaptive-limit.ts'
import { reasonToPark } from '../../scheduling/scheduled-delivery.ts'
import type { Permit, Scheduler } from '../../scheduling/scheduler.ts'
import type { Notify } from '../../streams/live/notify.ts'
import type { DeliveryReporter } from '../../telemetry/events.ts'
import type { TraceContext, Tracing } from '../../telemetry/tracing.ts'
import type { FindSendOptions, SendOptions } from '../../webhooks/send-options.ts'
import {
  type AttemptRecord,
  type PlannedAttempt,
  toAttemptRecord,
  toUnsentRecord,
  type UnsentCode,
} from './attempt-record.ts'
import type { DeliveryJobs } from './delivery-jobs.ts'
import type { LoadBody, LoadDelivery, LoadedDelivery } from './load-delivery.ts'
import type { PayloadMemory } from './payload-memory.ts'
import type { RecordAttempt, RecordedAttempt } from './record-attempt.ts'
import { waitMs } from './retry-policy.ts'
import { signRequest } from './signed-request.ts'
import { traceAttempt } from './trace-attempt.ts'

export interface AttemptDeps {
  readonly sender: HttpSender
  readonly headerPrefix: string
  readonly load: LoadDelivery
  readonly loadBody: LoadBody
  readonly payloads: PayloadMemory
  readonly findSendOptions: FindSendOptions
  readonly scheduler: Scheduler
  readonly record: RecordAttempt
  readonly notify: Notify
  readonly jobs: DeliveryJobs
  readonly report: DeliveryReporter
  readonly tracing: Tracing
  readonly retryScheduleMs: readonly number[]
  readonly now: () => Date
}

/**
 * Makes one attempt for a delivery: load, acquire a permit, sign, send, record. A receiver's failure is an outcome,
 * which schedules the next attempt. A thrown error is a fault of Posthorn, and graphile-worker runs the job again.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  uuid: string,
  run: TaskRun,
): Promise<void> {
  try {
    await makeAttempt(deps, uuid, run)
  } catch (error) {
    if (!run.signal.aborted && !isDatabaseUnavailable(error)) await deps.jobs.markFault(uuid)
    throw error
  }
}

/** `changed`: what was loaded is out of date. */
type NoAttempt = 'aborted' | 'changed'

async function makeAttempt(deps: AttemptDeps, uuid: string, run: TaskRun): Promise<void> {
  await run.ensureClaimed()
  const loaded = await loadSendable(deps, uuid)
  if (!loaded) return
  const { delivery, options } = loaded
  const permit = await deps.scheduler.acquire(delivery, options, run.signal)
  if (permit === 'parked') return
  const attempted =
    permit === 'aborted' ? permit : await attemptWithPermit(deps, loaded, permit, run)
  // Nothing was sent. The scheduler parks the delivery or makes it wait.
  if (attempted === 'changed') return await makeAttempt(deps, uuid, run)
  // After a rescue, the job of the delivery belongs to another runner.
  await run.ensureClaimed()
  if (attempted === 'aborted') return await deps.jobs.requeue(uuid)
  const recorded = await deps.record(attempted)
  if (recorded) await publishResult(deps, loaded, attempted, recorded)
}

interface Sendable {
  readonly delivery: LoadedDelivery
  readonly options: SendOptions
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
  const options = await deps.findSendOptions(delivery.webhookId, delivery.revision)
  return options && { delivery, options }
}

/** A longer wait leaves time to disable the webhook, to put it on hold, or to change its URL or secret. */
const MAX_WAIT_WITHOUT_RELOAD_MS = 20

/** Waits for memory if the payload is large. Then signs and sends. */
async function attemptWithPermit(
  deps: AttemptDeps,
  loaded: Sendable,
  permit: Permit,
  run: TaskRun,
): Promise<AttemptRecord | NoAttempt> {
  const { id, organizationId, data, dataBytes } = loaded.delivery
  const acquiredAt = performance.now()
  const freeMemory =
    data === null ? await deps.payloads.acquire(organizationId, dataBytes ?? 0) : () => {}
  let result: AttemptResult | null = null
  try {
    if (run.signal.aborted) return 'aborted'
    const waitedMs = permit.waitedMs + performance.now() - acquiredAt
    const isFresh = waitedMs <= MAX_WAIT_WITHOUT_RELOAD_MS
    const sendable = isFresh ? loaded : await loadSendable(deps, id)
    if (!sendable || reasonToPark(sendable.delivery, sendable.options) !== null) return 'changed'
    const plan = planAttempt(deps, sendable, run)
    const attempted = await traceAttempt(deps.tracing, plan, (ownTrace) =>
      sendAttempt(deps, plan, ownTrace, run),
    )
    if (typeof attempted === 'string') return attempted
    const { record, outcome } = attempted
    if (outcome === null) return record
    const { startedAt } = attempted
    result = { startedAt, durationMs: outcome.durationMs, kind: loadSignal(outcome) }
    const holdMs = waitMs(outcome, deps.now())
    if (holdMs > 0) await deps.scheduler.hold(sendable.delivery, holdMs)
    return record
  } finally {
    permit.release(result)
    freeMemory()
  }
}

/** Nothing was sent if the outcome is null. */
type Attempted =
  | { readonly record: AttemptRecord; readonly outcome: null }
  | {
      readonly record: AttemptRecord
      readonly outcome: Ended
      /** When the request was sent, by the clock of `performance.now`. */
      readonly startedAt: number
    }

/** Its job runs in a queue of suspects after half of them: docs/concepts/reliability.md. */
const MAX_WORKER_DEATHS = 4

async function sendAttempt(
  deps: AttemptDeps,
  plan: PlannedAttempt,
  ownTrace: TraceContext | null,
  run: TaskRun,
): Promise<Attempted | NoAttempt> {
  const { delivery, options } = plan
  const unsent = (code: UnsentCode) => ({ record: toUnsentRecord(plan, code), outcome: null })
  if (delivery.workerDeaths >= MAX_WORKER_DEATHS) return unsent('worker_died')
  const body = await deps.loadBody(delivery)
  // The event was deleted or erased meanwhile, and the delivery is canceled once it is loaded again.
  if (body === null) return 'changed'
  if (body === TOO_LARGE) return unsent('body_too_large')
  // The secret or the custom headers cannot be decrypted.
  if (options.signingKey === null) return unsent('secret_unreadable')
  const request = signRequest(deps.headerPrefix, options.signingKey, {
    startedAt: plan.startedAt,
    ownTrace,
    delivery,
    messageId: publicId('delivery', delivery.id),
    body,
    customHeaders: options.headers,
    headerPrefix: options.headerPrefix,
  })
  await run.ensureClaimed()
  deps.report.started(plan.startedAt.getTime() - run.runAt.getTime())
  const startedAt = performance.now()
  const outcome = await deps.sender.send({
    organizationId: delivery.organizationId,
    url: options.url,
    headers: request.headers,
    body,
    acknowledgeTimeoutMs: options.timeoutMs ?? undefined,
    signal: run.signal,
  })
  if (outcome.kind === 'aborted') return 'aborted'
  return { record: toAttemptRecord(plan, request, outcome, deps.now()), outcome, startedAt }
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
  if (outcome.kind === 'failed') return REFUSED.has(outcome.code) ? 'neutral' : 'overload'
  if (outcome.status === 500) return 'neutral'
  return isOverload(outcome.status) ? 'overload' : 'ok'
}

/** Posthorn sent nothing. */
const REFUSED: ReadonlySet<string> = new Set(['address_not_public', 'not_https', 'url_not_allowed'])

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
  const { state, consecutiveFailures, failingMs } = recorded
  deps.report.attempted(delivery.id, webhookId, record, recorded)
  deps.notify(organizationId)
  await deps.scheduler.handleResult(delivery, options, {
    succeeded,
    finished: state !== 'pending',
    consecutiveFailures,
    failingMs,
  })
}
