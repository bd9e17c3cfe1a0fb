import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Provider from 'oidc-provider'
import type { ClientMetadata } from 'oidc-provider'

/** A real provider of OpenID Connect on this machine. Its package is installed by `requirePackages('test/oidc-provider')`. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  /** The URLs that its endpoints were called with, oldest first. */
  readonly requests: string[]
  /** How many milliseconds its clock is ahead. */
  aheadMs: number
  /** It closes the connections of requests for these paths. */
  unreachable: RegExp | null
  /** Whether Posthorn is one of its clients. */
  knowsPosthorn: boolean
  /** Changes the ID tokens that it sends. */
  changeIdToken: ((token: string) => string) | null
  /** Stops listening until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

export const CLIENT = { id: 'posthorn', secret: 'secret-of-posthorn' }

/** The claims of the people that the provider knows, by subject. */
export const PEOPLE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  operator: {
    name: 'Person A',
    email: 'operator@example.com',
    email_verified: true,
    groups: ['staff', 'webhooks'],
  },
  unverified: { name: 'Person B', email: 'operator@example.com', email_verified: false },
  stranger: { name: 'Person C', email: 'stranger@example.com', email_verified: true },
}

/** The clock of the provider: no other code of this process runs in its storage. */
const aheadMs = new AsyncLocalStorage<number>()
const { now } = Date
Date.now = () => now() + (aheadMs.getStore() ?? 0)

/** What else a person can choose: how the sign-in fails at the provider. */
const FAILURES: Readonly<Record<string, { error: string; error_description: string }>> = {
  cancel: { error: 'access_denied', error_description: 'The person canceled.' },
  fault: { error: 'server_error', error_description: '<script>alert("broken")</script>' },
}

/** Starts the provider. Its page has a link for each person, and for each failure. */
export async function startOidcProvider(posthornUrl: string): Promise<OidcProvider> {
  const requests: string[] = []
  const control = {
    aheadMs: 0,
    unreachable: null as OidcProvider['unreachable'],
    knowsPosthorn: true,
    changeIdToken: null as OidcProvider['changeIdToken'],
  }
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (control.unreachable?.test(request.url ?? '')) return void request.socket.destroy()
    changeAnswer(response, (body) => {
      if (request.url === DISCOVERY) return { ...body, [ALGORITHMS]: ['RS256', 'HS256', 'none'] }
      const { id_token: token } = body
      const change = control.changeIdToken
      return typeof token === 'string' && change ? { ...body, id_token: change(token) } : body
    })
    aheadMs.run(control.aheadMs, handle, request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const port = await listen(0)
  const issuer = `http://127.0.0.1:${port}`
  const provider = await createProvider(issuer, [clientAt(posthornUrl)])
  const callback = provider.callback()
  // It has the storage and the keys of the other one.
  const callbackWithoutClients = (await createProvider(issuer, [])).callback()
  handle = (request, response) => {
    const [, uid, choice] = /^\/interaction\/([^/]+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? []
    const respond = control.knowsPosthorn ? callback : callbackWithoutClients
    if (!uid) return void respond(request, response)
    if (!choice) return sendChoices(response, uid)
    const result = FAILURES[choice] ?? { login: { accountId: choice } }
    provider.interactionFinished(request, response, result).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }
  return Object.assign(control, {
    issuer,
    requests,
    stop,
    start: async () => void (await listen(port)),
    [Symbol.asyncDispose]: stop,
  })
}

const DISCOVERY = '/.well-known/openid-configuration'
const ALGORITHMS = 'id_token_signing_alg_values_supported'

type Body = Readonly<Record<string, unknown>>

/** Changes the JSON that the provider answers with. */
function changeAnswer(response: ServerResponse, change: (body: Body) => Body): void {
  const end = response.end.bind(response) as (body: unknown) => ServerResponse
  response.end = ((body: unknown) => {
    if (!String(response.getHeader('content-type')).startsWith('application/json')) return end(body)
    const changed = JSON.stringify(change(JSON.parse(String(body))))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }) as ServerResponse['end']
}

function clientAt(posthornUrl: string): ClientMetadata {
  return {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: [`${posthornUrl}/console/session/oidc/callback`],
    post_logout_redirect_uris: [`${posthornUrl}/console`],
  }
}

async function createProvider(issuer: string, clients: ClientMetadata[]): Promise<Provider> {
  const { default: NewProvider } = await import('oidc-provider')
  return new NewProvider(issuer, {
    clients,
    cookies: { keys: ['key of the cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) =>
      PEOPLE[id] && { accountId: id, claims: async () => ({ sub: id, ...PEOPLE[id] }) },
    // Everyone consents.
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      if (!client || !session?.accountId) return undefined
      const grant = new oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
}

function sendChoices(response: ServerResponse, uid: string): void {
  const links = [...Object.keys(PEOPLE), ...Object.keys(FAILURES)].map(
    (choice) => `<p><a href="/interaction/${uid}/${choice}">${choice}</a></p>`,
  )
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Provider</title><h1>Who are you?</h1>${links.join('')}</html>`,
    )
}
