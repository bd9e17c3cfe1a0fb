/** A client of the REST API, `/api/connect/v1`. Errors have a message of one line that says what to do. */
export interface ConnectApi {
  createWebhook(webhook: NewWebhook): Promise<{ id: string }>
  /** The current signing secret, `whsec_…`. */
  readSecret(webhookId: string): Promise<string>
  /** Succeeds if the webhook does not exist. */
  deleteWebhook(webhookId: string): Promise<void>
}

export interface NewWebhook {
  readonly url: string
  readonly event_subscriptions: readonly string[]
  readonly description?: string
  readonly enabled?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 10_000

/** Throws if no request could be made with them. */
export function checkServer(server: string, key: string): void {
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? '')) {
    throw new Error(`${JSON.stringify(server)} is not the http:// or https:// URL of a server.`)
  }
  // Otherwise fetch would reject the header with a message that contains the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Error(
      'The API key is empty or contains spaces or line breaks. Give the full key, phk_….',
    )
  }
}

/** `server` is the base URL, such as `http://127.0.0.1:4000`; `key` is an API key, `phk_…`. */
export function createConnectApi(server: string, key: string): ConnectApi {
  const call = (method: string, path: string, body?: unknown) =>
    callServer({ server, key, method, path: `/api/connect/v1/webhooks${path}`, body })

  return {
    async createWebhook(webhook) {
      const created = await call('POST', '', webhook)
      return { id: await readText(created, 'id', server) }
    },
    async readSecret(webhookId) {
      return readText(await call('GET', `/${encodeURIComponent(webhookId)}/secret`), 'key', server)
    },
    async deleteWebhook(webhookId) {
      await call('DELETE', `/${encodeURIComponent(webhookId)}`)
    },
  }
}

interface Call {
  readonly server: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

async function callServer({ server, key, method, path, body }: Call): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(server.replace(/\/+$/, '') + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    throw new Error(explainFetchError(server, error), { cause: error })
  }
  if (response.ok || (method === 'DELETE' && response.status === 404)) return response
  throw new Error(await explainRejection(`${server} rejected ${method} ${path}`, response))
}

/** One line about a server that could not be reached. */
export function explainFetchError(server: string, error: unknown): string {
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ECONNREFUSED') {
    return `Nothing listens at ${server}. Start Posthorn with \`npm start\`, or give its URL with --server.`
  }
  if ((error as Error).name === 'TimeoutError') {
    return `${server} did not answer within ${TIMEOUT_MS / 1000} s.`
  }
  return `Cannot connect to ${server}: ${cause?.message || (error as Error).message}.`
}

/** An RFC 9457 problem in one line: the list of errors or the detail, and what to do. */
async function explainRejection(call: string, response: Response): Promise<string> {
  const problem = await readProblem(response)
  const errors = problem.errors?.map(({ pointer, detail }) => `${pointer ?? ''} ${detail ?? ''}`)
  const detail = errors?.length ? errors.map((error) => error.trim()).join(' ') : problem.detail
  const remedies: Record<number, string> = {
    401: 'Give a valid key with --key.',
    403: 'The key needs the scopes webhooks:write and secrets:read.',
  }
  const title = problem.title ?? response.statusText
  const isLocal = problem.errors?.some(({ code }) => code === 'address_not_public')
  const remedy = isLocal ? LOCAL_ADDRESS : remedies[response.status]
  return [`${call} with ${response.status} ${title}.`, detail, remedy].filter(Boolean).join(' ')
}

/** The URL is that of a receiver on this machine. */
const LOCAL_ADDRESS =
  'This Posthorn sends only to public addresses. `posthorn listen --forward <url>` needs none: it sends deliveries on to your own server. To let Posthorn connect to this receiver, start it with POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128 and POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem.'

interface Problem {
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly {
    readonly pointer?: string
    readonly code?: string
    readonly detail?: string
  }[]
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

async function readText(response: Response, name: string, server: string): Promise<string> {
  const body: unknown = await response.json().catch(() => null)
  const value = (body as Record<string, unknown> | null)?.[name]
  if (typeof value === 'string') return value
  throw new Error(`${server} does not respond like Posthorn. Check --server.`)
}
