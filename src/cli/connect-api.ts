/** A client of the REST facade, `/api/connect/v1`. What fails, fails with one line that says what to do. */
export interface ConnectApi {
  createWebhook(webhook: NewWebhook): Promise<{ id: string }>
  /** The current signing secret, `whsec_…`. */
  readSecret(webhookId: string): Promise<string>
  /** Does no harm if the webhook is gone already. */
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

/** `server` is the base URL, such as `http://127.0.0.1:4000`; `key` an API key, `phk_…`. */
export function connectApi(server: string, key: string): ConnectApi {
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? '')) {
    throw new Error(`${JSON.stringify(server)} is not the http:// or https:// URL of a server.`)
  }
  // Also keeps fetch from refusing it with a message that contains it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Error('The API key is empty or has spaces or line ends in it. Is it phk_… and whole?')
  }
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
    throw new Error(explainSilence(server, error), { cause: error })
  }
  if (response.ok || (method === 'DELETE' && response.status === 404)) return response
  throw new Error(await explainRejection(`${server} refused ${method} ${path}`, response))
}

function explainSilence(server: string, error: unknown): string {
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ECONNREFUSED') {
    return `Nothing answers at ${server}. Start it with \`npm start\`, or say with --server where it runs.`
  }
  if ((error as Error).name === 'TimeoutError') {
    return `${server} did not answer within ${TIMEOUT_MS / 1000} s.`
  }
  return `${server} cannot be reached: ${cause?.message || (error as Error).message}.`
}

/** RFC 9457 problem+json in one line: its detail, or else everything it lists as wrong, and the remedy. */
async function explainRejection(call: string, response: Response): Promise<string> {
  const problem = await readProblem(response)
  const errors = problem.errors?.map(({ pointer, detail }) => `${pointer ?? ''} ${detail ?? ''}`)
  const what = errors?.length ? errors.map((error) => error.trim()).join(' ') : problem.detail
  const remedies: Record<number, string> = {
    401: 'Give a valid key with --key.',
    403: 'The key needs the scopes webhooks:write and secrets:read.',
  }
  const title = problem.title ?? response.statusText
  return [`${call} with ${response.status} ${title}.`, what, remedies[response.status]]
    .filter(Boolean)
    .join(' ')
}

interface Problem {
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer?: string; readonly detail?: string }[]
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
  throw new Error(`${server} answers, but not as Posthorn does. Is --server right?`)
}
