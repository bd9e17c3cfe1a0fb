import { type ServerAccess, ServerError, type ServerRequest, sendRequest } from './send-request.ts'

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

/** `server` is the base URL, such as `http://127.0.0.1:4000`; `key` is an API key, `phk_…`. */
export function createConnectApi(server: string, key: string): ConnectApi {
  const call = (method: string, path: string, body?: unknown) =>
    callServer({ url: server, key }, { method, path: `/api/connect/v1/webhooks${path}`, body })

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

async function callServer(access: ServerAccess, request: ServerRequest): Promise<Response> {
  const { method, path } = request
  const response = await sendRequest(access, request)
  if (response.ok || (method === 'DELETE' && response.status === 404)) return response
  throw new ServerError(
    await explainRejection(`${access.url} rejected ${method} ${path}`, response),
  )
}

/** An RFC 9457 problem in one line: the list of errors or the detail, and what to do. */
export async function explainRejection(
  call: string,
  response: Response,
  scopes = 'The key needs the scopes webhooks:write and secrets:read.',
): Promise<string> {
  const problem = await readProblem(response)
  const errors = problem.errors?.map(({ pointer, detail }) => `${pointer ?? ''} ${detail ?? ''}`)
  const detail = errors?.length ? errors.map((error) => error.trim()).join(' ') : problem.detail
  const remedies: Record<number, string> = {
    401: 'Set POSTHORN_API_KEY to a valid key, or give --key-file.',
    403: scopes,
  }
  const title = problem.title ?? response.statusText
  const isLocal = problem.errors?.some(({ code }) => code === 'address_not_public')
  const remedy = isLocal ? LOCAL_ADDRESS : remedies[response.status]
  return [`${call} with ${response.status} ${title}.`, detail, remedy].filter(Boolean).join(' ')
}

/** The URL is that of a receiver on this machine. */
const LOCAL_ADDRESS =
  'This Posthorn sends only to public addresses. `posthorn listen --forward <url>` needs none: it pulls the events, and sends them to your own server. To let Posthorn connect to this receiver, start it with POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128 and POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem.'

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
  throw new ServerError(`${server} does not respond like Posthorn. Check --server.`)
}
