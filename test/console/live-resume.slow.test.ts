import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { JOINED } from '../support/factories.ts'
import { createWebhook, testDelivery, untilDelivery } from './support/call.ts'
import { browser, openDesk, server, story } from './support/desk.ts'
import { untilLive, waitUntilLoaded } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

let webhookId: string
/** The network between the pages and the server. */
let network: TcpProxy
let url: string

openDesk()

beforeAll(async () => {
  network = await startTcpProxy(Number(new URL(server.url).port))
  url = `http://127.0.0.1:${network.port}`
  const input = { url: server.receiver.url, enabled: true, eventSubscriptions: [JOINED] }
  webhookId = await createWebhook(server, input)
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
})

const OFFLINE =
  /ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE|CONNECTION_CLOSED|SOCKET_NOT_CONNECTED)/

const visitor = () => visit(browser, { origins: [url], signedInTo: { url, token: server.token } })

async function deliver(): Promise<string> {
  const id = await testDelivery(server, webhookId, JOINED)
  await untilDelivery(server, id, ({ state }) => state === 'SUCCEEDED', 'the delivery succeeds')
  return id
}

/** Runs `work` while no page has a network, and waits until its stream is open again. */
async function whileOffline(page: Page, work: () => Promise<unknown>): Promise<void> {
  network.disconnect()
  await page.getByRole('status').filter({ hasText: 'Interrupted' }).waitFor()
  await work()
  network.connect()
  await untilLive(page)
}

story('the page of a delivery shows how the delivery finished during an interruption', async () => {
  await using reader = await visitor()
  const { page } = reader
  reader.expectPageErrors(OFFLINE)
  let answer = () => {}
  server.receiver.answer = (response) => {
    answer = () => response.end()
  }
  const id = await testDelivery(server, webhookId, JOINED)
  await page.goto(`${url}/console/deliveries/${id}`)
  await waitUntilLoaded(page)
  await untilLive(page)
  await whileOffline(page, async () => {
    server.receiver.answer = (response) => response.end()
    answer()
    await untilDelivery(server, id, ({ state }) => state === 'SUCCEEDED', 'the delivery succeeds')
  })
  await page.getByText('Succeeded').first().waitFor()
})

story(
  'two parts of a page that share a stream both notice an interruption and its end',
  async () => {
    await using reader = await visitor()
    const { page } = reader
    reader.expectPageErrors(OFFLINE)
    await page.goto(`${url}/console/webhooks/${webhookId}`)
    await waitUntilLoaded(page)
    // The charts and the list of deliveries follow the attempts of this webhook. Only the list says so.
    await untilLive(page)
    await whileOffline(page, deliver)
  },
)

story(
  'a list that missed more than 10,000 attempts reads what it missed, and goes on',
  async () => {
    await using reader = await visitor()
    const { page } = reader
    reader.expectPageErrors(OFFLINE)
    await deliver()
    await page.goto(`${url}/console/deliveries`)
    await waitUntilLoaded(page)
    await untilLive(page)
    await whileOffline(page, async () => {
      await using database = await server.openDatabase()
      await database.pool.query(
        `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
         duration_ms, status, request_url)
       select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 1, now(), true, 1, 200, ''
       from (select * from posthorn.attempts limit 1) as one, generate_series(1, 10001)`,
      )
      await deliver()
    })
    await page.getByRole('button', { name: '1 new, show it' }).waitFor()
    await deliver()
    await page.getByRole('button', { name: '2 new, show them' }).waitFor()
  },
)
