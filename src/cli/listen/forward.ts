import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { USER_AGENT } from '../../lib/version.ts'
import { sign } from '../../receiver/index.ts'
import { explainResponse, run, type ServerAccess, ServerError, sendRequest } from '../api.ts'
import { serverAccess } from '../server-command.ts'
import { createPrinter, prefixOf } from './format-delivery.ts'
import { type ListenOptions, readSecret } from './receive.ts'
import { type Header, type LocalAnswer, sendLocal } from './send-local.ts'
import { log, stopRequest } from './terminal.ts'

/** Sends to a local server: one stored delivery or event with `--replay`, else the events that are published from now on. */
export async function forwardDeliveries(
  options: ListenOptions,
  { headerPrefix, ...config }: Config,
): Promise<void> {
  const access = await serverAccess(options, { headerPrefix, ...config })
  const { replay: id } = options
  if (id === undefined) {
    await forwardEvents(access, headerPrefix, options)
    return
  }
  const [secret = newSecret()] = options.secret ?? []
  const answer = id.startsWith('evt_')
    ? await createSendEvent(access, headerPrefix, secret, options)(id)
    : await replayDelivery(access, id, options)
  if (answer === null)
    throw new Error(`There is no event ${JSON.stringify(id)}, or its data is gone.`)
  if (answer.status === null || answer.status >= 300) process.exitCode = 1
}

const WAIT_SECONDS = 20
const RETRY_AFTER_MS = 1_000

/**
 * Pulls the events of the organization from now on, and sends each to the local server, signed, until a stop request. An
 * event that the local server refuses is not sent again.
 */
async function forwardEvents(
  access: ServerAccess,
  headerPrefix: string,
  options: ListenOptions,
): Promise<void> {
  const { event: types = [], count = Number.POSITIVE_INFINITY } = options
  const [secret = newSecret()] = options.secret ?? []
  const stop = stopRequest()
  const stopped = new AbortController()
  void stop.requested.then(() => stopped.abort())
  const { signal } = stopped
  const name = `listen-${randomBytes(6).toString('hex')}`
  const send = createSendEvent(access, headerPrefix, secret, options, signal)
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
    if (!options.secret) log(`The signing secret of this run: WEBHOOK_SECRET=${secret}`)
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

/** Sends the delivery of an event to the local server. Returns null for an event whose data is gone. */
function createSendEvent(
  access: ServerAccess,
  headerPrefix: string,
  secret: string,
  options: ListenOptions,
  signal?: AbortSignal,
) {
  const send = createSend(headerPrefix, options, signal)
  return async (id: string): Promise<LocalAnswer | null> => {
    // What deliveries send of an event, character for character.
    const query = 'query ($id: ID!) { event(id: $id) { body } }'
    const event = await run<{ body: string | null } | null>(access, query, { id })
    if (!event?.body) return null
    const body = Buffer.from(event.body)
    const timestamp = nowSeconds()
    const signature = await sign(secret, id, timestamp, body)
    const headers = [
      { name: 'user-agent', value: USER_AGENT },
      { name: 'content-type', value: 'application/json' },
      { name: `${headerPrefix}id`, value: id },
      { name: `${headerPrefix}timestamp`, value: timestamp },
      { name: `${headerPrefix}signature`, value: signature },
    ]
    return await send(headers, body)
  }
}

const nowSeconds = () => String(Math.floor(Date.now() / 1_000))

/** A secret of its own for each run. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Sends a signed delivery to the local server as it is, and prints it with the answer. */
function createSend(headerPrefix: string, options: ListenOptions, signal?: AbortSignal) {
  const { insecure, save } = options
  const url = options.forward as URL
  const print = createPrinter(headerPrefix, options.json)
  return async (headers: readonly Header[], body: Buffer): Promise<LocalAnswer> => {
    const receivedAt = new Date()
    const answer = await sendLocal({ url, headers, body, insecure, signal })
    if (signal?.aborted) return answer
    const byName = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
    if (save !== undefined) {
      const name = `${byName[`${headerPrefix}id`]}-${byName[`${headerPrefix}timestamp`]}`
      await saveDelivery(path.join(save, name.replace(/[^\w-]/g, '_')), headers, body)
    }
    const verification = { kind: 'verified' } as const
    const local = { url: url.href, answer }
    print({ receivedAt, headers: byName, verification, body, answered: answer.status, local })
    return answer
  }
}

/**
 * Writes the exact body to a file, and the headers to one beside it with one `name: value` per line, as
 * `curl --header @file` and `posthorn verify --headers file` read them.
 */
async function saveDelivery(file: string, headers: readonly Header[], body: Buffer): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const lines = headers.map(({ name, value }) => `${name}: ${value}\n`)
  // A custom header can be a credential.
  const mode = 0o600
  await writeFile(`${file}.headers`, lines.join(''), { mode })
  await writeFile(`${file}.json`, body, { mode })
}

const DELIVERY = `query ($id: ID!) {
  delivery(id: $id) {
    webhookId
    attempts(first: 1) { nodes { request { headers { name value } body } } }
  }
}`

const REVEAL_HEADERS = `mutation ($id: ID!) {
  revealHeaders(id: $id) {
    ... on RevealHeadersSuccess { headers { name value } }
    ... on UserError { code message }
  }
}`

interface StoredDelivery {
  readonly webhookId: string
  readonly attempts: {
    readonly nodes: readonly {
      readonly request: { readonly headers: readonly Header[]; readonly body: string | null }
    }[]
  }
}

/** The stored value of a custom header, which can be a credential. */
const MASK = '•••'

/** Sends the request of a stored delivery again, with a new timestamp and signature. */
async function replayDelivery(
  access: ServerAccess,
  id: string,
  options: ListenOptions,
): Promise<LocalAnswer> {
  const delivery = await run<StoredDelivery | null>(access, DELIVERY, { id })
  if (!delivery) throw new Error(`There is no delivery ${JSON.stringify(id)}.`)
  const { webhookId, attempts } = delivery
  const { headers: stored, body: text } = attempts.nodes[0]?.request ?? { headers: [], body: '' }
  if (text === null) {
    throw new Error(
      `The event of the delivery ${id} is past its retention or erased, so its body is gone.`,
    )
  }
  const prefix = prefixOf(stored.map(({ name }) => name.toLowerCase()))
  if (prefix === undefined) throw new Error(`The delivery ${id} was not sent yet.`)
  const secret = options.secret?.[0] ?? (await readSecret(access, webhookId))
  const body = Buffer.from(text)
  const timestamp = nowSeconds()
  const fresh = new Map([
    [`${prefix}timestamp`, timestamp],
    [`${prefix}signature`, await sign(secret, id, timestamp, body)],
  ])
  if (stored.some(({ value }) => value === MASK)) {
    type Revealed = { headers: readonly Header[] }
    const { headers } = await run<Revealed>(access, REVEAL_HEADERS, { id: webhookId })
    for (const { name, value } of headers) fresh.set(name.toLowerCase(), value)
  }
  const headers = stored.map(({ name, value }) => {
    const known = fresh.get(name.toLowerCase())
    return { name, value: known ?? (value === MASK ? '' : value) }
  })
  return await createSend(prefix, options)(headers, body)
}
