import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { type HostPage, openHostPage } from './support/host-page.ts'
import { story, storyBrowser } from './support/story.ts'
import { type Visit, visit } from './support/visit.ts'

let browser: Browser
let host: HostPage
let stranger: HostPage
let server: ConsoleServer

beforeAll(async () => {
  browser = await storyBrowser()
  host = await openHostPage()
  stranger = await openHostPage()
  server = await startConsoleServer({ environment: { POSTHORN_CORS_ORIGINS: host.origin } })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
  await stranger?.[Symbol.asyncDispose]()
})

story('a page of a configured origin queries and subscribes until its session ends', async () => {
  const { id, token } = await createSession()
  await using reader = await open(host)
  expect(await query(reader.page, token)).toEqual({
    data: { viewer: { session: { kind: 'FRONTEND' } } },
  })
  await subscribe(reader.page, token)
  await server.graphql(document('api-keys', 'RevokeApiKey'), { id })
  expect(await streamed(reader.page)).toContain('The frontend session was revoked.')
  reader.expectPageErrors(/status of 401/)
  expect(await query(reader.page, token)).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  })
})

story('the browser keeps the response from a page of another origin', async () => {
  const { token } = await createSession()
  await using reader = await open(stranger)
  reader.expectPageErrors(/CORS policy|ERR_FAILED/)
  await expect(query(reader.page, token)).rejects.toThrow('Failed to fetch')
})

interface Session {
  readonly id: string
  readonly token: string
}

async function createSession(): Promise<Session> {
  const create = document('frontend-sessions', 'CreateFrontendSession')
  const input = { scopes: ['webhooks:read', 'deliveries:read'] }
  const { createFrontendSession } = await server.graphql<{
    createFrontendSession: { token: string; frontendSession: { id: string } }
  }>(create, { input })
  return { id: createFrontendSession.frontendSession.id, token: createFrontendSession.token }
}

async function open(page: HostPage): Promise<Visit> {
  const reader = await visit(browser, { origins: [page.origin, server.url] })
  await reader.page.goto(page.framing('about:blank'))
  return reader
}

interface Reader {
  stream: Promise<string>
}

/** Resolves once the stream is open. */
async function subscribe(page: Page, token: string): Promise<void> {
  await page.evaluate(
    async ([url, init]) => {
      const response = await fetch(url, init)
      ;(globalThis as unknown as Reader).stream = response.text()
    },
    request(token, 'subscription { attemptRecorded { id } }', 'text/event-stream'),
  )
}

/** Everything that the stream sent, once it has ended. */
function streamed(page: Page): Promise<string> {
  return page.evaluate(() => (globalThis as unknown as Reader).stream)
}

function query(page: Page, token: string): Promise<unknown> {
  return page.evaluate(
    async ([url, init]) => await (await fetch(url, init)).json(),
    request(token, '{ viewer { session { kind } } }', 'application/json'),
  )
}

function request(token: string, text: string, accept: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
  const body = JSON.stringify({ query: text })
  return [`${server.url}/graphql`, { method: 'POST', headers, body }] as const
}
