import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { mintId, parseId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { Notify } from '../live/notify.ts'
import { abortGroup } from '../outbound/abort-group.ts'
import type { HttpRequest } from '../outbound/http-sender.ts'
import type { Outcome } from '../outbound/outcome.ts'
import { requestHeaders } from '../outbound/request-headers.ts'
import { outcomeOf } from './forwarded-outcome.ts'
import { addRequest, deleteRequest, deleteUnfetched, endRequests } from './waiting-requests.ts'

/** Sends requests through `posthorn listen --forward` instead of a connection of its own. */
export interface Forwarder {
  /** Rejects if Postgres cannot store the request. */
  send(request: ForwardedDelivery): Promise<Outcome>
}

export interface ForwardedDelivery extends HttpRequest {
  readonly webhookId: string
  readonly deliveryId: string
}

export interface ForwarderDeps {
  readonly sql: Sql
  readonly keyring: Keyring
  readonly notify: Notify
  readonly userAgent: string
  readonly acknowledgeTimeoutMs: number
  readonly onError: (error: unknown) => void
}

/** How often the worker looks for answers while it waits for any. */
const CHECK_EVERY_MS = 100

interface OpenRequest {
  readonly request: ForwardedDelivery
  readonly startedAt: number
  readonly timeLimitMs: number
  readonly settle: (outcome: Outcome) => void
}

/** The requests and answers are rows, so any process can have the stream of the command. */
export function createForwarder(deps: ForwarderDeps): Forwarder {
  const { sql, keyring, userAgent, onError } = deps
  const open = new Map<string, OpenRequest>()
  let isChecking = false

  async function checkUntilEmpty(): Promise<void> {
    if (isChecking) return
    isChecking = true
    while (open.size > 0) {
      await sleep(CHECK_EVERY_MS)
      await check().catch(onError)
    }
    isChecking = false
  }

  async function check(): Promise<void> {
    const requests = [...open]
    const rows = await endRequests(
      sql,
      requests.map(([id]) => id),
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const [id, request] of requests) {
      const row = byId.get(id)
      // Without its row, such as after a lost answer of Postgres, the attempt starts again.
      if (!row) request.settle({ kind: 'busy' })
      else if (row.ended) request.settle(outcomeOf(row, request))
      else if (!row.fetched) await waitForCommand(id, request)
    }
  }

  /** Like a connection to an endpoint, the wait ends when others need the capacity. */
  async function waitForCommand(id: string, { request, settle }: OpenRequest) {
    // The stream can open later.
    if (request.mayGoOn?.() !== false) deps.notify(request.organizationId)
    else if (await deleteUnfetched(sql, id)) settle({ kind: 'busy' })
  }

  async function store(request: ForwardedDelivery, timeLimitMs: number): Promise<string> {
    const { webhookId, deliveryId } = request
    const id = parseId('forwardedRequest', mintId('forwardedRequest')) as string
    const headers = JSON.stringify(requestHeaders(userAgent, request.headers))
    const headersCiphertext = keyring.encrypt(Buffer.from(headers), id)
    await addRequest(sql, { id, webhookId, deliveryId, headersCiphertext, timeLimitMs })
    return id
  }

  function wait(id: string, request: ForwardedDelivery, timeLimitMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const group = request.signal && abortGroup(request.signal)
    const abortable = { abort: () => settle({ kind: 'aborted' }) }
    const settle = (outcome: Outcome) => {
      open.delete(id)
      group?.delete(abortable)
      resolve(outcome)
    }
    const startedAt = performance.now()
    open.set(id, { request, startedAt, timeLimitMs, settle })
    group?.add(abortable)
    deps.notify(request.organizationId)
    void checkUntilEmpty()
    return promise
  }

  return {
    async send(request) {
      const { signal, acknowledgeTimeoutMs: timeLimitMs = deps.acknowledgeTimeoutMs } = request
      if (signal?.aborted) return { kind: 'aborted' }
      const id = await store(request, timeLimitMs)
      const outcome: Outcome = signal?.aborted
        ? { kind: 'aborted' }
        : await wait(id, request, timeLimitMs)
      // Another worker makes the attempt again, so an answer to this request would be lost.
      if (outcome.kind === 'aborted') await deleteRequest(sql, id).catch(onError)
      return outcome
    },
  }
}
