import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { needs } from '../support/left-out.ts'
import { startProxy } from '../support/proxies.ts'
import { createWebhook, testDelivery } from './support/call.ts'
import { browser, openDesk, server, story } from './support/desk.ts'

let webhookId: string

openDesk()

beforeAll(async () => {
  const input = { url: server.receiver.url, enabled: true, eventSubscriptions: [JOINED] }
  webhookId = await createWebhook(server, input)
})

/** What the subscriptions of a page received, and whether its query has an answer. */
interface PageState {
  received: string[]
  answered: boolean
  closeOne(): void
}

/** Opens subscriptions, and then sends a query. */
async function openStreams(page: Page, count: number): Promise<void> {
  await page.evaluate(
    ([token, streams]) => {
      const post = (query: string, accept: string, signal?: AbortSignal) =>
        fetch('/graphql', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
          body: JSON.stringify({ query }),
          ...(signal && { signal }),
        })
      const first = new AbortController()
      const state: PageState = {
        received: Array(streams).fill(''),
        answered: false,
        closeOne: () => first.abort(),
      }
      Object.assign(globalThis, { state })
      state.received.forEach(async (_, index) => {
        const query = 'subscription { attemptRecorded { id } }'
        const signal = index === 0 ? first.signal : undefined
        const { body } = await post(query, 'text/event-stream', signal)
        const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
        for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
          state.received[index] += chunk.value
        }
      })
      // After the requests of the subscriptions.
      setTimeout(async () => {
        await (await post('{ __typename }', 'application/json')).json()
        state.answered = true
      })
    },
    [server.token, count] as const,
  )
}

const read = <Value>(page: Page, value: (state: PageState) => Value): Promise<Value> =>
  page.evaluate(`(${value})(globalThis.state)`)

const begun = ({ received }: PageState) => received.every((text) => text.startsWith(':'))
const informed = ({ received }: PageState) => received.every((text) => text.includes('"att_'))
const answered = (state: PageState) => state.answered

const untilPage = (page: Page, condition: (state: PageState) => boolean) =>
  expect.poll(() => read(page, condition), { timeout: 30_000 }).toBe(true)

story('over HTTP/1.1, six subscriptions of a page block its queries until one closes', async () => {
  const page = await browser.newPage()
  await page.goto(`${server.url}/console/sign-in`)
  await openStreams(page, 6)
  await untilPage(page, begun)
  await testDelivery(server, webhookId, JOINED)
  await untilPage(page, informed)
  expect(await read(page, answered)).toBe(false)
  await read(page, (state) => state.closeOne())
  await untilPage(page, answered)
  await page.close()
})

story(
  'over HTTP/2, twenty subscriptions of a page block none of its queries',
  needs('nginx'),
  async () => {
    await using proxy = await startProxy('nginx', server.url)
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`${proxy.url}/console/sign-in`)
    await openStreams(page, 20)
    await untilPage(page, answered)
    await untilPage(page, begun)
    await testDelivery(server, webhookId, JOINED)
    await untilPage(page, informed)
    await page.close()
  },
)
