import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { createQuota } from '../../access/quota.ts'
import { type Caller, ownerOf } from '../../access/scope.ts'
import type { Config } from '../../config/config.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { ORGANIZATION_HEADER } from '../../graphql/context.ts'
import type { Handle } from '../../graphql/cors.ts'
import { GRAPHQL_PATH } from '../../graphql/handler.ts'
import { connectionOf } from '../../http/connection.ts'
import { readBody } from '../../http/read-body.ts'
import { useOnce } from '../../idempotency/run-once.ts'
import { DomainError } from '../../lib/errors.ts'
import { createConfirmations } from '../../mcp/confirmations.ts'
import { createExecute, type GraphqlResult, type Send } from '../../mcp/execute.ts'
import { createMcpServer } from '../../mcp/mcp-server.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { trustedDocumentsOf } from '../../mcp/trusted-documents.ts'
import { createGraphqlHandler, type GraphqlDeps } from '../graphql-handler.ts'
import { createIdentify } from '../identify.ts'
import { acceptedForms, BOTH_FORMS, inAcceptedForm } from './accepted-form.ts'

export interface McpDeps extends GraphqlDeps {
  readonly keyring: Keyring
}

/** The largest body of a request. An error of the SDK repeats names of it, and must not exceed the size of an answer. */
const MAX_BODY_BYTES = 16 * 1024

/** Handles requests to `/mcp`: each stands alone, as in revision 2026-07-28, and older clients get no session either. */
export function createMcpHandle(
  deps: McpDeps,
  { mcp: access }: Pick<Config, 'mcp'>,
): (c: Context) => Promise<Response> {
  const identify = createIdentify(deps)
  const graph = createGraphqlHandler({
    ...deps,
    corsOrigins: [],
    trustedDocuments: trustedDocumentsOf(access),
  })
  const onFault = (error: unknown) => deps.logger.error({ error }, 'a tool of /mcp failed')

  function createServer({ authInfo }: McpRequestContext) {
    if (!authInfo?.extra) throw new Error('A request to /mcp has no caller.')
    const { caller, request, address } = authInfo.extra as unknown as Extra
    const { keyId, organizationId, scopes } = caller
    const confirmations = createConfirmations(deps.keyring, (id) =>
      useOnce(deps.prisma, organizationId, 'mcp-confirmation', id),
    )
    const actsFor = request.headers.get(ORGANIZATION_HEADER) ?? organizationId
    return createMcpServer(
      toolsFor(access, scopes),
      {
        execute: createExecute(sendTo(graph, request, address)),
        confirmations,
        callerId: `${keyId} ${actsFor}`,
      },
      onFault,
    )
  }

  const handler = createMcpHandler(createServer, {
    onerror: (error) => deps.logger.debug({ error }, 'a request to /mcp was rejected'),
  })

  return async (c) => {
    const request = c.req.raw
    const { address, inFlight } = connectionOf(c)
    const caller = await identify(request, address)
    if (caller.session || caller.consoleSessionId) {
      throw new DomainError('unauthenticated', 'An agent needs an API key, not a session.')
    }
    const quota = createQuota(deps.rateLimiter)
    quota.spend(caller, 'requests', 1)
    inFlight?.admit(ownerOf(caller))
    const extra: Extra = { caller, request, address }
    const forms = acceptedForms(request.headers.get('accept'))
    const answer = await handler.fetch(await withBody(request, inFlight), {
      authInfo: {
        token: '',
        clientId: caller.keyId,
        scopes: [...caller.scopes],
        extra: extra as unknown as Record<string, unknown>,
      },
    })
    const response = await inAcceptedForm(answer, forms)
    for (const [name, value] of quota.headers()) response.headers.set(name, value)
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  }
}

interface Extra {
  readonly caller: Caller
  readonly request: Request
  readonly address: string | undefined
}

async function withBody(
  request: Request,
  inFlight: ReturnType<typeof connectionOf>['inFlight'],
): Promise<Request> {
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  const { json, stream } = acceptedForms(headers.get('accept'))
  if (json || stream) headers.set('accept', BOTH_FORMS)
  if (method !== 'POST') return new Request(url, { method, headers, signal })
  const body = (await readBody(request, MAX_BODY_BYTES, inFlight)) as Uint8Array<ArrayBuffer>
  // Each message counts against the rate limit of the key.
  if (/^\s*\[/.test(Buffer.from(body).toString())) {
    throw new DomainError('malformed', 'Send one message in each request: there are no batches.')
  }
  return new Request(url, { method, headers, signal, body })
}

/** What the graph reads of a request: who calls, for which organization, and what the audit log says about the caller. */
const KEPT_HEADERS = ['authorization', ORGANIZATION_HEADER, 'user-agent', 'x-forwarded-for']

/** Sends the documents of a request to `/mcp` to the graph of this process, with the credential of the request. */
function sendTo(graph: Handle, request: Request, address: string | undefined): Send {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of KEPT_HEADERS) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const url = new URL(GRAPHQL_PATH, request.url)
  return async (body) => {
    const sent = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await graph(sent, { address })
    return (await response.json()) as GraphqlResult
  }
}
