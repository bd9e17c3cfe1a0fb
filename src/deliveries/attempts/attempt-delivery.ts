import { isDatabaseUnavailable } from '../../db/faults.ts'
import { parseId, publicId } from '../../db/ids.ts'
import type { Notify } from '../../live/notify.ts'
import type { HttpSender } from '../../outbound/http-sender.ts'
import type { Outcome } from '../../outbound/outcome.ts'
import type { TaskRun } from '../../queue/task-runs.ts'
import type { AttemptResult } from '../../scheduling/adaptive-limit.ts'
import type { Permit, Scheduler } from '../../scheduling/scheduler.ts'
import type { DeliveryReporter } from '../../telemetry/events.ts'
import type { IsCurrent } from '../../webhooks/is-current.ts'
import type { FindSendOptions, SendOptions } from '../../webhooks/send-options.ts'
import { type PlannedAttempt, toAttemptRecord, toUnsentRecord } from './attempt-record.ts'
import type { LoadDelivery, LoadedDelivery } from './load-delivery.ts'
import type { AttemptRecord, RecordAttempt, RecordedAttempt } from './record-attempt.ts'
import { type DeliveryHeaderNames, signRequest } from './signed-request.ts'

export interface AttemptDeps {
  readonly load: LoadDelivery
  readonly findSendOptions: FindSendOptions
  readonly isCurrent: IsCurrent
  readonly scheduler: Scheduler
  readonly sender: HttpSender
  readonly record: RecordAttempt
  readonly notify: Notify
  /** Cancels a delivery that can no longer be sent, as its webhook was deleted or its event is past its retention. */
  readonly cancel: (uuid: string) => Promise<void>
  /** Gives the delivery a job for any worker. */
  readonly requeue: (uuid: string) => Promise<void>
  /** Makes an exhausted delivery pending again. */
  readonly revive: (uuid: string) => Promise<void>
  /** Marks that its job fails by a fault of ours, not by the act of an operator. */
  readonly markFault: (uuid: string) => Promise<void>
  readonly report: DeliveryReporter
  readonly retryScheduleMs: readonly number[]
  readonly headerNames: DeliveryHeaderNames
  readonly now: () => Date
}

/**
 * Makes one attempt for a delivery: load, acquire a permit, sign, send, record. A receiver that fails is an outcome and
 * schedules the next attempt; what is thrown is a fault of ours, and graphile-worker runs the job again.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  deliveryId: string,
  run: TaskRun,
): Promise<void> {
  const uuid = parseId('delivery', deliveryId)
  if (uuid === null)
    throw new Error(`A job names ${JSON.stringify(deliveryId)}, which is no delivery's id.`)
  try {
    await makeAttempt(deps, uuid, run)
  } catch (error) {
    if (!run.signal.aborted && !isDatabaseUnavailable(error)) await deps.markFault(uuid)
    throw error
  }
}

async function makeAttempt(deps: AttemptDeps, uuid: string, run: TaskRun): Promise<void> {
  await run.ensureClaimed()
  const sendable = await loadSendable(deps, uuid)
  if (!sendable) return
  const permit = await deps.scheduler.acquire(sendable.delivery, sendable.options, run.signal)
  if (permit === 'parked') return
  if (permit === 'aborted') return await requeue(deps, uuid, run)

  const made = await attemptWithPermit(deps, sendable, permit, run)
  if (made === 'aborted') return await requeue(deps, uuid, run)
  // Its webhook was disabled while it waited: the next look parks it.
  if (made === 'changed') return await makeAttempt(deps, uuid, run)
  await run.ensureClaimed()
  const recorded = await deps.record(made)
  if (recorded) await settle(deps, sendable, made, recorded)
}

/** Not where the runner was taken for dead: the delivery may have a job elsewhere by then. */
async function requeue(deps: AttemptDeps, uuid: string, run: TaskRun): Promise<void> {
  await run.ensureClaimed()
  await deps.requeue(uuid)
}

interface Sendable {
  readonly delivery: LoadedDelivery & { readonly event: NonNullable<LoadedDelivery['event']> }
  readonly options: SendOptions
}

/** `null` where there is nothing to send: the job was repeated after its delivery had finished, or outlived it. */
async function loadSendable(deps: AttemptDeps, uuid: string): Promise<Sendable | null> {
  let delivery = await deps.load(uuid)
  if (delivery?.state === 'exhausted') {
    // Its job stays failed, so an operator has it run again.
    await deps.revive(uuid)
    delivery = await deps.load(uuid)
  }
  if (delivery?.state !== 'pending') return null
  if (delivery.webhook === 'deleted' || delivery.event === null) {
    await deps.cancel(delivery.id)
    return null
  }
  const options = await deps.findSendOptions(delivery.webhookId, delivery.revision)
  return { delivery: { ...delivery, event: delivery.event }, options }
}

async function attemptWithPermit(
  deps: AttemptDeps,
  loaded: Sendable,
  permit: Permit,
  run: TaskRun,
): Promise<AttemptRecord | 'changed' | 'aborted'> {
  let result: AttemptResult | null = null
  try {
    const sendable = await reloadIfStale(deps, loaded, permit.waitedMs)
    if (sendable?.delivery.webhook !== 'enabled') return 'changed'
    await permit.reservation
    const plan = planAttempt(deps, sendable)
    const request = signAttempt(deps, sendable, plan.startedAt)
    if (!request) return toUnsentRecord(plan)
    await run.ensureClaimed()
    const startedAt = performance.now()
    const { url, headers, body } = request
    const outcome = await deps.sender.send({
      organizationId: sendable.delivery.organizationId,
      url,
      headers,
      body,
      acknowledgeTimeoutMs: sendable.options.timeoutMs ?? undefined,
      signal: run.signal,
    })
    // Ended by our own shutdown: not an attempt. Another worker makes it.
    if (outcome.kind === 'aborted') return 'aborted'
    result = { startedAt, durationMs: outcome.durationMs, kind: loadShownBy(outcome) }
    return toAttemptRecord(plan, request, outcome, deps.now())
  } finally {
    permit.release(result)
  }
}

/** Shorter waits count as none: a change of the webhook commits at any moment. */
const UNNOTICED_MS = 100

/** After a wait, the webhook may have another secret or address, or be disabled. */
async function reloadIfStale(
  deps: AttemptDeps,
  sendable: Sendable,
  waitedMs: number,
): Promise<Sendable | null> {
  if (waitedMs === 0) return sendable
  const { id, webhookId, revision } = sendable.delivery
  if (waitedMs < UNNOTICED_MS && (await deps.isCurrent(webhookId, revision))) return sendable
  return await loadSendable(deps, id)
}

function planAttempt(deps: AttemptDeps, { delivery, options }: Sendable): PlannedAttempt {
  return {
    delivery,
    url: options.url,
    ordered: options.ordered,
    isProbe: delivery.onHold && delivery.isProbe,
    scheduleMs: options.retryScheduleMs ?? deps.retryScheduleMs,
    startedAt: deps.now(),
  }
}

/** `null`: the signing secret or the custom headers cannot be decrypted. */
function signAttempt(deps: AttemptDeps, { delivery, options }: Sendable, startedAt: Date) {
  if (options.signingKey === null) return null
  return signRequest(deps.headerNames, options.signingKey, {
    deliveryUuid: delivery.id,
    event: delivery.event,
    traceParent: delivery.traceParent,
    url: options.url,
    customHeaders: options.headers,
    startedAt,
  })
}

/**
 * What an attempt shows about the load of its endpoint. A 500 shows a fault on some payloads rather than overload: an
 * endpoint that fails a tenth of its events so would be throttled to a few in flight, and fall behind.
 */
function loadShownBy(outcome: Exclude<Outcome, { kind: 'aborted' }>): AttemptResult['kind'] {
  if (outcome.kind === 'refused') return 'neutral'
  if (outcome.kind !== 'answered') return 'overload'
  if (outcome.status === 500) return 'neutral'
  return outcome.status === 429 || outcome.status > 500 ? 'overload' : 'ok'
}

/** Reports an attempt that is on record, and moves on the others of its webhook. */
async function settle(
  deps: AttemptDeps,
  { delivery, options }: Sendable,
  record: AttemptRecord,
  recorded: RecordedAttempt,
): Promise<void> {
  const { webhookId, organizationId } = delivery
  const { succeeded } = record
  const { attemptId, state, consecutiveFailures, failingSince } = recorded
  deps.report.attempted(publicId('delivery', delivery.id), webhookId, record, recorded)
  const finished = state === 'succeeded' || state === 'exhausted'
  deps.notify([
    {
      kind: 'attempt',
      organizationId,
      webhookId,
      deliveryId: delivery.id,
      attemptId,
      succeeded,
      finished,
    },
  ])
  await deps.scheduler.attempted(delivery, options, {
    succeeded,
    finished: state !== 'pending',
    consecutiveFailures,
    failingSince,
  })
}
