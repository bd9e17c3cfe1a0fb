import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sign } from '../../../packages/receiver/src/index.ts'
import type { Config } from '../../config/config.ts'
import { USER_AGENT } from '../../lib/version.ts'
import { explainResponse, run, type ServerAccess, ServerError, sendRequest } from '../api.ts'
import { serverAccess } from '../server-command.ts'
import { createPrinter } from './format-delivery.ts'
import type { ListenOptions } from './receive.ts'
import { type LocalAnswer, sendLocal } from './send-local.ts'
import { log, stopRequest } from './terminal.ts'

/** Sends to a local server: one stored delivery or event with `--replay`, else the events that are published from now on. */
export async function forwardDeliveries(options: ListenOptions, config: Config): Promise<void> {
  const access = await serverAccess(options, config)
  const { headerPrefix } = config
  const [secret = `whsec_${randomBytes(32).toString('base64')}`] = options.secret ?? []
  if (options.replay === undefined) {
    await forwardEvents(access, headerPrefix, secret, options)
    return
  }
  if (!options.secret) logSecret(secret)
  const answer = await createSend(access, headerPrefix, secret, options)(options.replay)
  if (answer === null) {
    throw new Error(`${options.replay} is unknown, was not sent yet, or its data is gone.`)
  }
  if (answer.status === null || answer.status >= 300) process.exitCode = 1
}

const logSecret = (secret: string) =>
  log(`The signing secret of this run: WEBHOOK_SECRET=${secret}`)

const WAIT_SECONDS = 20
const RETRY_AFTER_MS = 1_000

/**
 * Pulls the events of the organization from now on, and sends each to the local server, signed, until a stop request. An
 * event that the local server refuses is not sent again.
 */
async function forwardEvents(
  access: ServerAccess,
  headerPrefix: string,
  secret: string,
  options: ListenOptions,
): Promise<void> {
  const { event: types = [], count = Number.POSITIVE_INFINITY } = options
  const stop = stopRequest()
  const stopped = new AbortController()
  void stop.requested.then(() => stopped.abort())
  const { signal } = stopped
  const name = `listen-${randomBytes(6).toString('hex')}`
  const send = createSend(access, headerPrefix, secret, options, signal)
  let sent = 0
  let isAway = false

  async function forwardNext(): Promise<void> {
    const { lease, events } = await pull(access, name, types, WAIT_SECONDS, signal)
    if (isAway) log('Connected again.')
    isAway = false
    for (const { id } of events) {
      await send(id)
      if (++sent >= count) stop.now()
    }
    if (lease !== null) await callPull(access, 'POST', '/acknowledge', { consumer: name, lease })
  }

  try {
    await pull(access, name, types, 0, signal)
    log(`Forwarding ${types.join(', ') || 'all event types'} to ${options.forward} as ${name}.`)
    if (!options.secret) logSecret(secret)
    log('Ready. Press Ctrl+C to stop.')
    while (!signal.aborted) {
      await forwardNext().catch(async (error: Error) => {
        if (signal.aborted) return
        if (!(error instanceof ServerError && error.isTransient)) throw error
        if (!isAway) log(`${error.message} Trying again.`)
        isAway = true
        await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      })
    }
  } finally {
    // Requests to the local server would keep the process alive.
    stopped.abort()
    await deleteConsumer(access, name).catch((error: Error) => {
      log(`The consumer ${name} could not be deleted: ${error.message}`)
    })
  }
}

interface Pulled {
  readonly lease: string | null
  readonly events: readonly { readonly id: string }[]
}

/** One event at a time, longer than the local server may take. A lease whose answer got lost ends soon. */
const ONE = { max: '1', lease: '20' }

/** Waits up to so many seconds for events. */
async function pull(
  access: ServerAccess,
  consumer: string,
  types: readonly string[],
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Pulled> {
  const query = new URLSearchParams({ consumer, wait: String(waitSeconds), ...ONE })
  if (types.length > 0) query.set('types', types.join(','))
  const response = await callPull(access, 'GET', `/pull?${query}`, undefined, signal)
  const pulled = (await response.json().catch(() => null)) as Pulled | null
  if (!pulled?.events) throw explainResponse(access.url, response, null)
  return pulled
}

async function callPull(
  access: ServerAccess,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Response> {
  const request = { method, path: `/api/events/v1${path}`, ...(body && { body }) }
  const response = await sendRequest(access, { ...request, ...(signal && { signal }) })
  if (response.ok) return response
  const problem: unknown = await response.json().catch(() => null)
  const error = explainResponse(access.url, response, problem)
  if (response.status !== 403) throw error
  throw new ServerError(
    `${error.message} --forward needs a key with the scopes events:read and webhooks:write.`,
  )
}

const CHECK_AGAIN_MS = 500

/** Again while it is found: a pull that is still on its way to the server makes the consumer again. */
async function deleteConsumer(access: ServerAccess, name: string): Promise<void> {
  for (;;) {
    const found = await run<{ id: string } | null>(access, CONSUMER, { name })
    if (!found) return
    await run(access, DELETE_CONSUMER, { id: found.id })
    await sleep(CHECK_AGAIN_MS)
  }
}

const CONSUMER = 'query ($name: String!) { consumer(name: $name) { id } }'

const DELETE_CONSUMER =
  'mutation ($id: ID!) { deleteConsumer(id: $id) { ... on NotFoundError { code } } }'

const EVENT = 'query ($id: ID!) { event(id: $id) { body } }'

const DELIVERY =
  'query ($id: ID!) { delivery(id: $id) { attempts(first: 1) { nodes { request { body } } } } }'

interface Stored {
  readonly body?: string | null
  readonly attempts?: {
    readonly nodes: readonly { readonly request: { readonly body: string | null } }[]
  }
}

/** What a delivery sent, or deliveries send of an event, character for character. Null if it is not there. */
async function readBody(access: ServerAccess, id: string): Promise<string | null> {
  const stored = await run<Stored | null>(access, id.startsWith('evt_') ? EVENT : DELIVERY, { id })
  return stored?.body ?? stored?.attempts?.nodes[0]?.request.body ?? null
}

/** Sends an event or a delivery to the local server, signed, and prints it with the answer. Returns null if it is gone. */
function createSend(
  access: ServerAccess,
  headerPrefix: string,
  secret: string,
  { forward, insecure, save, json }: ListenOptions,
  signal?: AbortSignal,
) {
  const url = forward as URL
  const print = createPrinter(headerPrefix, json)
  return async (id: string): Promise<LocalAnswer | null> => {
    const text = await readBody(access, id)
    if (text === null) return null
    const body = Buffer.from(text)
    const receivedAt = new Date()
    const timestamp = String(Math.floor(receivedAt.getTime() / 1_000))
    const headers = {
      'user-agent': USER_AGENT,
      'content-type': 'application/json',
      [`${headerPrefix}id`]: id,
      [`${headerPrefix}timestamp`]: timestamp,
      [`${headerPrefix}signature`]: await sign(secret, id, timestamp, body),
    }
    const answer = await sendLocal({ url, headers, body, insecure, signal })
    if (signal?.aborted) return answer
    if (save !== undefined) {
      const name = `${id}-${timestamp}`.replace(/[^\w-]/g, '_')
      await saveDelivery(path.join(save, name), headers, body)
    }
    const verification = { kind: 'verified' } as const
    const local = { url: url.href, answer }
    print({ receivedAt, headers, verification, body, answered: answer.status, local })
    return answer
  }
}

/**
 * Writes the exact body to a file, and the headers to one beside it with one `name: value` per line, as
 * `curl --header @file` and `posthorn verify --headers file` read them.
 */
async function saveDelivery(file: string, headers: object, body: Buffer): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  // The data can be confidential.
  const mode = 0o600
  await writeFile(`${file}.headers`, lines.join(''), { mode })
  await writeFile(`${file}.json`, body, { mode })
}
