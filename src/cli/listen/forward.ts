import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, PosthornError } from '../../../packages/client/src/index.ts'
import { sign } from '../../../packages/receiver/src/index.ts'
import { formatSecret, generateSigningKey } from '../../../packages/receiver/src/sign.ts'
import type { Config } from '../../config/config.ts'
import { USER_AGENT } from '../../lib/version.ts'
import { run } from '../api.ts'
import { serverAccess } from '../server-command.ts'
import { createPrinter } from './format-delivery.ts'
import type { ListenOptions } from './receive.ts'
import { type LocalAnswer, sendLocal } from './send-local.ts'
import { log, stopRequest } from './terminal.ts'

/** Sends to a local server: one stored delivery or event with `--replay`, else the events that are published from now on. */
export async function forwardDeliveries(options: ListenOptions, config: Config): Promise<void> {
  const client = createClient(await serverAccess(options, config))
  const { headerPrefix } = config
  const [secret = formatSecret(generateSigningKey())] = options.secret ?? []
  if (options.replay === undefined) {
    await forwardEvents(client, headerPrefix, secret, options)
    return
  }
  if (!options.secret) logSecret(secret)
  const answer = await createSend(client, headerPrefix, secret, options)(options.replay)
  if (answer === null) {
    throw new Error(`${options.replay} is unknown, was not sent yet, or its data is gone.`)
  }
  if (answer.status === null || answer.status >= 300) process.exitCode = 1
}

const logSecret = (secret: string) =>
  log(`The signing secret of this run: WEBHOOK_SECRET=${secret}`)

const WAIT_SECONDS = 20
const PULL_TIMEOUT_MS = 30_000
const RETRY_AFTER_MS = 1_000

/** The server is busy, starts again or is not reached. */
const TRANSIENT = ['RATE_LIMITED', 'UNAVAILABLE', 'UNREACHABLE']

/**
 * Pulls the events of the organization from now on, and sends each to the local server, signed, until a stop request. An
 * event that the local server refuses is not sent again.
 */
async function forwardEvents(
  client: Client,
  headerPrefix: string,
  secret: string,
  options: ListenOptions,
): Promise<void> {
  const { event: types = null, count = Number.POSITIVE_INFINITY } = options
  const stop = stopRequest()
  const stopped = new AbortController()
  void stop.requested.then(() => stopped.abort())
  const { signal } = stopped
  const consumer = `listen-${randomBytes(6).toString('hex')}`
  const send = createSend(client, headerPrefix, secret, options, signal)
  let sent = 0
  let isAway = false

  async function forwardNext(): Promise<void> {
    const { lease, events: pulled } = await pull(WAIT_SECONDS)
    if (isAway) log('Connected again.')
    isAway = false
    for (const { id } of pulled) {
      await send(id)
      if (++sent >= count) stop.now()
    }
    if (lease !== null) await run(client, ACKNOWLEDGE, { consumer, lease }, { graph: 'events' })
  }

  /** Waits up to so many seconds for events. */
  const pull = (wait: number) =>
    run<Pulled>(
      client,
      PULL,
      { consumer, types, wait },
      { graph: 'events', signal, timeoutMs: PULL_TIMEOUT_MS },
    )

  try {
    await pull(0)
    log(
      `Forwarding ${types?.join(', ') ?? 'all event types'} to ${options.forward} as ${consumer}.`,
    )
    if (!options.secret) logSecret(secret)
    log('Ready. Press Ctrl+C to stop.')
    while (!signal.aborted) {
      await forwardNext().catch(async (error: Error) => {
        if (signal.aborted) return
        if (!(error instanceof PosthornError && TRANSIENT.includes(error.code))) throw error
        if (!isAway) log(`${error.message} Trying again.`)
        isAway = true
        await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      })
    }
  } finally {
    // Requests to the local server would keep the process alive.
    stopped.abort()
    await deleteConsumer(client, consumer).catch((error: Error) => {
      log(`The consumer ${consumer} could not be deleted: ${error.message}`)
    })
  }
}

interface Pulled {
  readonly lease: string | null
  readonly events: readonly { readonly id: string }[]
}

/** One event at a time, longer than the local server may take. A lease whose answer got lost ends soon. */
const PULL = `mutation ($consumer: String!, $types: [String!], $wait: Int) {
  pullEvents(consumer: $consumer, types: $types, max: 1, wait: $wait, lease: 20) {
    lease events { id }
  }
}`

const ACKNOWLEDGE = `mutation ($consumer: String!, $lease: ID!) {
  acknowledgeEvents(consumer: $consumer, lease: $lease)
}`

const CHECK_AGAIN_MS = 500

/** Again while it is found: a pull that is still on its way to the server makes the consumer again. */
async function deleteConsumer(client: Client, name: string): Promise<void> {
  for (;;) {
    const found = await run<{ id: string } | null>(client, CONSUMER, { name })
    if (!found) return
    await run(client, DELETE_CONSUMER, { id: found.id })
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
async function readBody(client: Client, id: string): Promise<string | null> {
  const stored = await run<Stored | null>(client, id.startsWith('evt_') ? EVENT : DELIVERY, { id })
  return stored?.body ?? stored?.attempts?.nodes[0]?.request.body ?? null
}

/** Sends an event or a delivery to the local server, signed, and prints it with the answer. Returns null if it is gone. */
function createSend(
  client: Client,
  headerPrefix: string,
  secret: string,
  { forward, insecure, save, json }: ListenOptions,
  signal?: AbortSignal,
) {
  const url = forward as URL
  const print = createPrinter(headerPrefix, json)
  return async (id: string): Promise<LocalAnswer | null> => {
    const text = await readBody(client, id)
    if (text === null) return null
    const body = Buffer.from(text)
    const time = new Date()
    const timestamp = String(Math.floor(time.getTime() / 1_000))
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
    const local = { url: url.href, answer }
    const verification = { verified: true, reason: null }
    print({ time, headers, ...verification, body, answered: answer.status, local })
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
