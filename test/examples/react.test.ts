import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { browser, openBrowserForStories, story } from '../console/support/desk.ts'
import { violations } from '../console/support/violations.ts'
import { type Visit, visit } from '../console/support/visit.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { type Stage, setStage } from './support/stage.ts'

let stage: Stage
let url: string

openBrowserForStories()

beforeAll(async () => {
  stage = await setStage()
  url = `${stage.receiver.url}first`
  await createWebhook(stage.posthorn, url)
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
})

story('shows the webhooks and their health in plain words', async () => {
  stage.receiver.answer = (response) => response.writeHead(503).end()
  await deliver(stage)
  // The page reads the state before it follows the changes.
  const { webhookState } = stage.posthorn.database.prisma
  const failing = { where: { state: 'failing' } }
  await until(async () => (await webhookState.count(failing)) === 1, 'the webhook is failing')
  await using reader = await open()
  const card = cardOf(reader.page, url)
  await card.getByText('FAILING').waitFor()
  stage.receiver.answer = (response) => response.end()
  await card.getByText('503').waitFor()
  await card.getByText('Waiting: 0').waitFor()
  expect(await violations(reader.page)).toEqual([])
})

story('shows each attempt when it is recorded, and the health that it changes', async () => {
  await using reader = await open()
  await live(reader.page)
  const card = cardOf(reader.page, url)
  // Without a success, ten failures over a minute would put the webhook on hold.
  await deliver(stage)
  await card.getByText('HEALTHY').waitFor()
  stage.receiver.answer = (response) => response.writeHead(410).end()
  const failed = await deliver(stage)
  await attemptOf(reader.page, failed).getByText('status 410').waitFor()
  // A webhook that has succeeded is failing after ten failures.
  for (let i = 1; i < 10; i++) await deliver(stage)
  await card.getByText('FAILING').waitFor()
  stage.receiver.answer = (response) => response.end()
  const succeeded = await deliver(stage)
  await attemptOf(reader.page, succeeded).getByText('Delivered: status 200').waitFor()
  await card.getByText('DEGRADED').waitFor()
})

story('shows the attempts that it missed while the connection was lost, each once', async () => {
  await using reader = await open()
  reader.expectPageErrors(/ERR_|Failed to load resource/)
  await live(reader.page)
  const before = await deliver(stage)
  await attemptOf(reader.page, before).waitFor()
  stage.proxy.disconnect()
  await reader.page.getByText('Connecting…').waitFor()
  const missed = [await deliver(stage), await deliver(stage)]
  expect(await attemptOf(reader.page, missed[0] as string).count()).toBe(0)
  stage.proxy.connect()
  for (const id of missed) await attemptOf(reader.page, id).waitFor()
  await live(reader.page)
  const after = await deliver(stage)
  for (const id of [before, ...missed, after]) {
    await attemptOf(reader.page, id).waitFor()
    expect(await attemptOf(reader.page, id).count()).toBe(1)
  }
})

story('opens another session when its session has ended', async () => {
  await using reader = await open()
  reader.expectPageErrors(/401/)
  await live(reader.page)
  const sessions = await sessionsOf(stage)
  await stage.posthorn.database.prisma.apiKey.updateMany({
    where: { id: { in: sessions } },
    data: { expiresAt: new Date(Date.now() - 1_000) },
  })
  // The stream of the ended session ends, and goes on with the new one.
  await until(async () => (await sessionsOf(stage)).length > sessions.length, 'a new session')
  await live(reader.page)
  const id = await deliver(stage)
  await attemptOf(reader.page, id).waitFor()
  expect(await reader.page.getByRole('alert').count()).toBe(0)
})

story('shows nothing of the organization to a user of another one', async () => {
  await using reader = await open('stranger')
  await live(reader.page)
  await reader.page.getByText('No webhook yet.').waitFor()
  expect(await logOf(reader.page).getByRole('listitem').count()).toBe(0)
  await using own = await open()
  const id = await deliver(stage)
  await attemptOf(own.page, id).waitFor()
  expect(await reader.page.getByText(stage.receiver.url).count()).toBe(0)
  expect(await attemptOf(reader.page, id).count()).toBe(0)
})

/** Opens the page, by default as a user of the organization. */
async function open(user?: string): Promise<Visit> {
  const reader = await visit(browser, { origins: stage.origins })
  const { page } = stage
  if (user) await reader.page.context().addCookies([{ name: 'user', value: user, url: page }])
  await reader.page.goto(page)
  await reader.page.getByRole('heading', { level: 1 }).waitFor()
  return reader
}

const cardOf = (page: Page, url: string) =>
  page
    .getByRole('region', { name: 'Webhooks' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: url, exact: true }) })

const logOf = (page: Page) => page.getByRole('region', { name: 'Deliveries' })

const attemptOf = (page: Page, id: string) => logOf(page).locator(`[data-id="${id}"]`)

const live = (page: Page) => logOf(page).getByText('Live', { exact: true }).waitFor()

/** Publishes an event and waits for its attempt. Returns the attempt's id. */
async function deliver({ posthorn }: Stage): Promise<string> {
  const { prisma } = posthorn.database
  const count = await prisma.attempt.count()
  const { organizationId } = posthorn.tenant
  await posthorn.services.publishEvents(organizationId, [{ type: JOINED, data: {} }])
  await until(async () => (await prisma.attempt.count()) > count, 'the attempt is recorded')
  const newest = await prisma.attempt.findFirstOrThrow({ orderBy: { id: 'desc' } })
  return publicId('attempt', newest.id)
}

/** The ids of the sessions of the page, the expired ones too. */
async function sessionsOf({ posthorn }: Stage): Promise<string[]> {
  const sessions = await posthorn.database.prisma.apiKey.findMany({
    where: { sessionKind: 'frontend', revokedAt: null },
  })
  return sessions.map(({ id }) => id)
}
