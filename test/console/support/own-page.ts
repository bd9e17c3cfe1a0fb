import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { document } from '../../graphql/support/document.ts'
import type { ConsoleServer } from './console-server.ts'
import { story } from './desk.ts'
import type { HostPage } from './host-page.ts'
import { type Visit, visit } from './visit.ts'

interface Given {
  readonly browser: Browser
  /** A server with the origin of `host` in `POSTHORN_CORS_ORIGINS`. */
  readonly server: ConsoleServer
  readonly host: HostPage
  readonly stranger: HostPage
}

/** A page of a host application calls Posthorn by itself, with a frontend session. */
export function ownPageStories(given: () => Given): void {
  const endpoint = () => `${given().server.url}/graphql`

  story('a page of a configured origin queries and subscribes until its session ends', async () => {
    const { id, token } = await createSession(given().server)
    await using reader = await open(given(), given().host)
    expect(await query(reader.page, endpoint(), token)).toMatchObject({
      data: { viewer: { session: { kind: 'FRONTEND' } } },
    })
    await subscribe(reader.page, endpoint(), token)
    await given().server.graphql(document('api-keys', 'RevokeApiKey'), { id })
    expect(await streamed(reader.page)).toContain('The frontend session was revoked.')
    reader.expectPageErrors(/status of 401/)
    expect(await query(reader.page, endpoint(), token)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    })
  })

  story('the browser keeps the response from a page of another origin', async () => {
    const { token } = await createSession(given().server)
    await using reader = await open(given(), given().stranger)
    reader.expectPageErrors(/CORS policy|ERR_FAILED/)
    await expect(query(reader.page, endpoint(), token)).rejects.toThrow('Failed to fetch')
  })
}

interface Session {
  readonly id: string
  readonly token: string
}

async function createSession(server: ConsoleServer): Promise<Session> {
  const create = document('frontend-sessions', 'CreateFrontendSession')
  const input = { scopes: ['webhooks:read', 'deliveries:read'] }
  const { createFrontendSession } = await server.graphql<{
    createFrontendSession: { token: string; frontendSession: { id: string } }
  }>(create, { input })
  return { id: createFrontendSession.frontendSession.id, token: createFrontendSession.token }
}

async function open({ browser, server }: Given, page: HostPage): Promise<Visit> {
  const reader = await visit(browser, { origins: [page.origin, server.url] })
  await reader.page.goto(page.framing('about:blank'))
  return reader
}

interface Reader {
  stream: Promise<string>
}

/** Resolves once the stream is open. */
async function subscribe(page: Page, url: string, token: string): Promise<void> {
  await page.evaluate(
    async ([url, init]) => {
      const response = await fetch(url, init)
      ;(globalThis as unknown as Reader).stream = response.text()
    },
    request(url, token, 'subscription { attemptRecorded { id } }', 'text/event-stream'),
  )
}

/** Everything that the stream sent, once it has ended. */
function streamed(page: Page): Promise<string> {
  return page.evaluate(() => (globalThis as unknown as Reader).stream)
}

function query(page: Page, url: string, token: string): Promise<unknown> {
  return page.evaluate(
    async ([url, init]) => await (await fetch(url, init)).json(),
    request(url, token, '{ viewer { session { kind } } }', 'application/json'),
  )
}

function request(url: string, token: string, text: string, accept: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
  const body = JSON.stringify({ query: text })
  return [url, { method: 'POST', headers, body }] as const
}
