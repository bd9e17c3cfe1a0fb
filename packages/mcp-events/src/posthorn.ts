import { EventsError } from './events-error.ts'
import type { EventsOptions, Principal } from './options.ts'

/** Runs operations of Posthorn for a principal. */
export type CallPosthorn = <Data>(
  principal: Principal | null,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => Promise<Data>

/** Posthorn answers a subscription after the challenge of its endpoint, which takes 10 s at most. */
const TIMEOUT_MS = 30_000

/** An error never says more to the client than that the server has a fault: the cause is for the log of the host. */
export function createCallPosthorn({
  url,
  token,
}: Pick<EventsOptions, 'url' | 'token'>): CallPosthorn {
  return async (principal, query, variables = {}) => {
    const key = typeof token === 'function' ? await token(principal) : token
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(principal?.organization && { 'posthorn-organization': principal.organization }),
      },
      body: JSON.stringify({ query, variables }),
      // Another server must not get the key.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error) => {
      throw fault('Posthorn cannot be reached.', error)
    })
    const { data, errors } = await readAnswer(response)
    const code = errors?.[0]?.extensions?.code
    if (code === 'RATE_LIMITED') {
      const message = 'There were too many requests. Try again in a minute.'
      throw new EventsError('resourceExhausted', message, { limit: 'requests' })
    }
    if (errors || !data) throw fault(`Posthorn answered ${response.status}.`, errors)
    return data
  }
}

type Answer = {
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  readonly data?: any
  readonly errors?: readonly { extensions?: { code?: string } }[]
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fault(`Posthorn answered ${response.status}.`, error)
  }
}

function fault(message: string, cause: unknown): EventsError {
  return new EventsError('internalError', message, undefined, { cause })
}
