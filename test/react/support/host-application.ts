import type { Browser } from 'playwright-core'
import { inject } from 'vitest'
import { type ConsoleServer, startConsoleServer } from '../../console/support/console-server.ts'
import { storyBrowser } from '../../console/support/story.ts'
import { type Visit, visit } from '../../console/support/visit.ts'
import { document } from '../../graphql/support/document.ts'
import { JOINED } from '../../support/factories.ts'
import { startHostServer } from './host-server.ts'
import type { ReactVersion } from './packed-package.ts'

/** A host application with Posthorn behind it, and a browser. */
export interface HostApplication extends AsyncDisposable {
  readonly posthorn: ConsoleServer
  /** A frontend session. Default: with all scopes that the components use. */
  createSession(options?: SessionOptions): Promise<Session>
  /** Creates an enabled webhook to the receiver, at this path. */
  createWebhook(path: string): Promise<string>
  /** Opens a page of the host application. `requestToken` is the host's server. */
  open(options: PageOptions): Promise<Visit>
}

export interface Session {
  readonly id: string
  readonly token: string
}

interface SessionOptions {
  readonly scopes?: readonly string[]
  readonly organizationId?: string
}

interface PageOptions {
  readonly page: 'list' | 'form' | 'form-and-list' | 'hooks' | 'log'
  readonly webhookId?: string
  /** Where the page finds Posthorn. Default: the server itself. */
  readonly posthornUrl?: string
  requestToken(): string | Promise<string>
}

const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'deliveries:read',
  'deliveries:write',
  'secrets:read',
  'secrets:rotate',
]

export async function startHostApplication(react: ReactVersion = 19): Promise<HostApplication> {
  const host = await startHostServer(inject('reactHosts')[react])
  const posthorn = await startConsoleServer({
    environment: { POSTHORN_CORS_ORIGINS: host.origin },
  })
  const browser: Browser = await storyBrowser()
  return {
    posthorn,
    async createSession({ scopes = SCOPES, organizationId } = {}) {
      const { createFrontendSession } = await call(
        posthorn,
        document('frontend-sessions', 'CreateFrontendSession'),
        { input: { scopes } },
        organizationId,
      )
      return { id: createFrontendSession.frontendSession.id, token: createFrontendSession.token }
    },
    async createWebhook(path) {
      const url = new URL(path, posthorn.receiver.url).href
      const input = { url, eventSubscriptions: [JOINED], enabled: true }
      const create = document('webhooks', 'CreateWebhook')
      const { createWebhook } = await call(posthorn, create, { input })
      return createWebhook.webhook.id
    },
    async open({ page, webhookId, posthornUrl = posthorn.url, requestToken }) {
      const reader = await visit(browser, { origins: [host.origin, new URL(posthornUrl).origin] })
      await reader.page.exposeFunction('requestToken', requestToken)
      const query = new URLSearchParams({ page, posthorn: posthornUrl })
      if (webhookId !== undefined) query.set('webhook', webhookId)
      await reader.page.goto(`${host.origin}/?${query}`)
      return reader
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await posthorn[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

/** A call of an operator, for the given organization or the operator's own. */
export async function call(
  posthorn: ConsoleServer,
  query: string,
  variables: object,
  organizationId?: string,
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
): Promise<any> {
  const response = await fetch(`${posthorn.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${posthorn.token}`,
      'content-type': 'application/json',
      ...(organizationId && { 'posthorn-organization': organizationId }),
    },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown[] }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** Publishes events of the type that the webhooks receive. */
export async function publish({ posthorn }: HostApplication, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({ type: JOINED, data: { name: 'Ada' } }))
  await call(posthorn, PUBLISH, { input: { events } })
}

const PUBLISH = `mutation ($input: PublishEventsInput!) {
  publishEvents(input: $input) { __typename ... on UserError { message } }
}`
