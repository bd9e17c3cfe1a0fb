import { setTimeout as sleep } from 'node:timers/promises'
import { explainResponse, run, type ServerAccess, ServerError, sendRequest } from '../../api.ts'
import { log } from '../log.ts'

export interface Pulled {
  readonly lease: string | null
  readonly events: readonly { readonly id: string }[]
}

/** A place in the events of the organization, from now on. It is deleted with the command. */
export interface Consumer {
  /** Waits up to so many seconds for events. */
  pull(waitSeconds: number): Promise<Pulled>
  acknowledge(lease: string): Promise<void>
  delete(): Promise<void>
}

const PATH = '/api/events/v1'
/** One event at a time, longer than the local server may take. A lease whose answer got lost ends soon. */
const ONE = { max: '1', lease: '20' }

const RETRY_AFTER_MS = 1_000
const CHECK_AGAIN_MS = 500
/** A busy server, one that restarts, and the proxy in front of it. */
const TRANSIENT = new Set([429, 502, 503, 504])
const SCOPES = '--forward needs a key with the scopes events:read and webhooks:write.'

export function createConsumer(
  access: ServerAccess,
  name: string,
  types: readonly string[],
  signal: AbortSignal,
): Consumer {
  async function call(method: string, path: string, body?: object): Promise<Response | null> {
    let isBroken = false
    while (!signal.aborted) {
      try {
        const request = { method, path: `${PATH}${path}`, signal, ...(body && { body }) }
        const response = await sendRequest(access, request)
        if (response.ok) {
          if (isBroken) log('Connected again.')
          return response
        }
        const { status } = response
        const problem: unknown = await response.json().catch(() => null)
        const { message } = explainResponse(access.url, response, problem)
        if (TRANSIENT.has(status)) throw new ServerError(message)
        throw new Final(status === 403 ? `${message} ${SCOPES}` : message)
      } catch (error) {
        if (signal.aborted) return null
        // Nothing worked so far: the server is the wrong one, or does not run.
        if (error instanceof Final || !hasPulled) throw error
        if (!isBroken) log(`${(error as Error).message} Trying again.`)
        isBroken = true
        await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      }
    }
    return null
  }

  let hasPulled = false
  return {
    async pull(waitSeconds) {
      const query = new URLSearchParams({ consumer: name, wait: String(waitSeconds), ...ONE })
      if (types.length > 0) query.set('types', types.join(','))
      const response = await call('GET', `/pull?${query}`)
      if (response === null) return { lease: null, events: [] }
      const pulled: unknown = await response.json().catch(() => null)
      if (!isPulled(pulled)) {
        throw explainResponse(access.url, response, null)
      }
      hasPulled = true
      return pulled
    },
    async acknowledge(lease) {
      await call('POST', '/acknowledge', { consumer: name, lease })
    },
    async delete() {
      // A pull that is still on its way to the server would make the consumer again.
      while (await deleteIfFound(access, name)) await sleep(CHECK_AGAIN_MS)
    },
  }
}

async function deleteIfFound(access: ServerAccess, name: string): Promise<boolean> {
  const found = await run<{ id: string } | null>(
    access,
    'query ($name: String!) { consumer(name: $name) { id } }',
    { name },
  )
  if (!found) return false
  await run(
    access,
    'mutation ($id: ID!) { deleteConsumer(id: $id) { ... on NotFoundError { code } } }',
    { id: found.id },
  )
  return true
}

class Final extends ServerError {}

function isPulled(value: unknown): value is Pulled {
  return typeof value === 'object' && value !== null && 'events' in value
}
