import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { createQuota } from '../../access/quota.ts'
import { type Caller, ownerOf } from '../../access/scope.ts'
import type { Config } from '../../config/config.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { ORGANIZATION_HEADER } from '../../graphql/context.ts'
import { connectionOf } from '../../http/connection.ts'
import { readBody } from '../../http/read-body.ts'
import { CONSOLE_HEADER } from '../../http/session-cookie.ts'
import { useOnce } from '../../idempotency/use-once.ts'
import { DomainError } from '../../lib/errors.ts'
import { createConfirmations } from '../../mcp/confirmations.ts'
import { createExecute } from '../../mcp/execute.ts'
import { createMcpServer } from '../../mcp/mcp-server.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { trustedDocumentsOf } from '../../mcp/trusted-documents.ts'
import type { OidcSignIn } from '../../sessions/oidc/oidc-sign-in.ts'
import { createGraphqlHandler, type GraphqlDeps } from '../graphql-handler.ts'
import { createIdentify } from '../identify.ts'
import { createAuthenticateAgent } from './authenticate-agent.ts'
import { sendTo } from './send-to-graph.ts'

export interface McpDeps extends GraphqlDeps {
  readonly keyring: Keyring
  /** Null without POSTHORN_OIDC_ISSUER. */
  readonly oidc: OidcSignIn | null
}

/** The largest body of a request. A filter or a list of ids needs far less. */
const MAX_BODY_BYTES = 256 * 1024

/** The longest message without the arguments of a tool: it describes the client and its capabilities. */
const MAX_MESSAGE_CHARACTERS = 8_000

/** Handles requests to `/mcp`: each stands alone, as in revision 2026-07-28, and older clients get no session either. */
export function createMcpHandle(
  deps: McpDeps,
  { mcp: access }: Pick<Config, 'mcp'>,
): (c: Context) => Promise<Response> {
  const identified = { ...deps, authenticate: createAuthenticateAgent(deps) }
  const identify = createIdentify(identified)
  const graph = createGraphqlHandler({
    ...identified,
    corsOrigins: [],
    trustedDocuments: trustedDocumentsOf(access),
  })
  const onFault = (error: unknown) => deps.logger.error({ error }, 'a tool of /mcp failed')

  function createServer({ authInfo }: McpRequestContext) {
    if (!authInfo?.extra) throw new Error('A request to /mcp has no caller.')
    const { caller, request, address } = authInfo.extra as unknown as Extra
    const tools = toolsFor({ access, scopes: caller.scopes, restrictedTo: restrictionOf(caller) })
    const execute = createExecute(sendTo(graph, request, address))
    const { keyId, organizationId } = caller
    const confirmations = createConfirmations(deps.keyring, (id) =>
      useOnce(deps.prisma, { organizationId, operation: 'mcp-confirmation', id }),
    )
    const actsFor = request.headers.get(ORGANIZATION_HEADER) ?? organizationId
    const context = { execute, confirmations, callerId: `${keyId} ${actsFor}` }
    return createMcpServer(tools, context, onFault)
  }

  const handler = createMcpHandler(createServer, {
    onerror: (error) => deps.logger.debug({ error }, 'a request to /mcp was rejected'),
  })

  return async (c) => {
    const request = c.req.raw
    const { address, memory } = connectionOf(c)
    const caller = await identify(withoutCookies(request), address)
    const quota = createQuota(deps.rateLimiter)
    quota.spend(caller, 'requests', 1)
    memory?.countFor(ownerOf(caller))
    const extra: Extra = { caller, request, address }
    const response = await handler.fetch(await withBody(request, memory), {
      authInfo: {
        token: '',
        clientId: caller.keyId,
        scopes: [...caller.scopes],
        extra: extra as unknown as Record<string, unknown>,
      },
    })
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

function restrictionOf({ session }: Caller): 'webhook' | 'delivery' | null {
  if (session?.deliveryId) return 'delivery'
  return session?.webhookId ? 'webhook' : null
}

/** The session of a browser counts for the console only. */
function withoutCookies({ url, headers }: Request): Request {
  const kept = new Headers(headers)
  kept.delete('cookie')
  kept.delete(CONSOLE_HEADER)
  return new Request(url, { headers: kept })
}

async function withBody(
  request: Request,
  memory: ReturnType<typeof connectionOf>['memory'],
): Promise<Request> {
  const { url, method, headers, signal } = request
  if (method !== 'POST') return new Request(url, { method, headers, signal })
  const body = (await readBody(request, MAX_BODY_BYTES, memory)) as Uint8Array<ArrayBuffer>
  checkMessage(parsed(body))
  return new Request(url, { method, headers, signal, body })
}

/** Undefined for what is not JSON, which the SDK answers. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** The tools bound their arguments. Of the rest, the SDK repeats the id, the method and the names. */
function checkMessage(message: unknown): void {
  if (Array.isArray(message)) {
    throw new DomainError('malformed', 'Send one message in each request: there are no batches.')
  }
  const { params, ...rest } = Object(message)
  const { arguments: _, ...named } = Object(params)
  if (JSON.stringify([rest, named]).length > MAX_MESSAGE_CHARACTERS) {
    throw new DomainError(
      'too_large',
      `Without params.arguments, the message has more than ${MAX_MESSAGE_CHARACTERS.toLocaleString('en')} characters. Send shorter names.`,
    )
  }
}
