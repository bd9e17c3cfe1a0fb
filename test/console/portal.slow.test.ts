import { beforeAll, expect } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { createOrganization, createWebhook, testDelivery, untilDelivery } from './support/call.ts'
import { startConsoleServer } from './support/console-server.ts'
import { copiedText } from './support/copied-text.ts'
import { browser, open, openDesk, page, server, story } from './support/desk.ts'
import { type HostPage, openHostPage } from './support/host-page.ts'
import { portalUrl as newPortalUrl } from './support/portal-url.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

let host: HostPage
let mine: string
let other: string

openDesk(async () => {
  host = await openHostPage()
  const environment = { POSTHORN_PORTAL_ORIGINS: host.origin }
  return await startConsoleServer({ alsoEnds: host, environment })
})

beforeAll(async () => {
  mine = await createWebhook(server, { url: `${server.receiver.url}mine`, enabled: true })
  const url = `${server.receiver.url}other`
  other = await createWebhook(server, { url, enabled: true, eventSubscriptions: [TICKET] })
  for (const [id, type] of [
    [mine, JOINED],
    [other, TICKET],
  ] as const) {
    const delivery = await testDelivery(server, id, type)
    await untilDelivery(server, delivery, (one) => one.state === 'SUCCEEDED', 'it is delivered')
  }
})

story('an allowed origin frames the portal with its organization, scopes and theme', async () => {
  await using reader = await framed(await portalUrl({ scopes: READ_SCOPES }))
  const portal = reader.page.frameLocator('iframe')
  await portal.getByRole('heading', { level: 1 }).waitFor()
  const pages = portal.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Endpoints', exact: true }).click()
  const { host: receiver } = new URL(server.receiver.url)
  await portal.getByText(`${receiver}/mine`).first().waitFor()
  await portal.getByText(`${receiver}/other`).first().waitFor()

  // The portal hides what its scopes do not allow.
  expect(await portal.getByText('Add endpoint').count()).toBe(0)
  expect(await pages.getByRole('link').allInnerTexts()).toEqual([
    'Endpoints',
    'Deliveries',
    'Event types',
  ])
  const scheme = () => portal.locator('html').getAttribute('data-mantine-color-scheme')
  await expect.poll(scheme).toBe('dark')
  // No server, log or host page can see the token in a URL.
  const frame = reader.page.frames().find((each) => each.url().includes('/portal'))
  expect(frame?.url()).not.toContain('phk_')
})

story('a portal restricted to one webhook shows no other, at any URL', async () => {
  const url = await portalUrl({ scopes: READ_SCOPES, webhookId: mine })
  await using reader = await framed(url)
  const portal = reader.page.frameLocator('iframe')
  await portal.getByText(`${server.receiver.url}mine`).waitFor()
  const pages = portal.getByRole('navigation', { name: 'Pages' })
  expect(await pages.count()).toBe(0)
  expect(await portal.getByRole('navigation', { name: 'Breadcrumbs' }).count()).toBe(0)
  await portal.getByRole('link', { name: JOINED }).first().click()
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
  // Pages of the whole organization are hidden.
  expect(await pages.getByRole('link').allInnerTexts()).toEqual([
    'Endpoint',
    'Deliveries',
    'Event types',
  ])
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).click()
  const rows = portal.getByRole('row')
  await rows.filter({ hasText: JOINED }).first().waitFor()
  expect(await rows.filter({ hasText: TICKET }).count()).toBe(0)
  // The tab of the webhook leads back to it.
  await pages.getByRole('link', { name: 'Endpoint', exact: true }).click()
  await portal.getByText(`${server.receiver.url}mine`).first().waitFor()
  await expect.poll(() => pages.count()).toBe(0)
  const frame = reader.page.frames().find((each) => each.url().includes('/portal'))
  await frame?.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/portal/webhooks/${other}`)
  await portal.getByText('This endpoint does not exist').waitFor()
  expect(await portal.getByText(`${server.receiver.url}other`).count()).toBe(0)
})

story('the console previews the portal in the chosen theme, and shows its code', async () => {
  const startedAt = new Date()
  await open('/portal')
  const portal = page.frameLocator('posthorn-portal iframe')
  await portal.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  expect(await portal.getByText('Add endpoint').count()).toBe(0)

  await page.getByLabel('Primary color', { exact: true }).fill('#c2255c')
  await page.getByRole('switch', { name: 'Allow changes' }).check()
  await page.getByRole('button', { name: 'Update preview' }).click()
  const create = portal.getByRole('link', { name: 'Add endpoint' })
  await create.waitFor()
  expect(await create.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(
    'rgb(194, 37, 92)',
  )

  const frame = page.locator('posthorn-portal iframe')
  await page.locator('label').getByText('Phone, 360 px', { exact: true }).click()
  await expect.poll(async () => (await frame.boundingBox())?.width).toBe(360)

  const code = await page.getByRole('region', { name: 'curl code' }).innerText()
  expect(code).toContain(`${server.url}/graphql`)
  expect(code).toContain('primaryColor": "#c2255c"')
  expect(code).toContain('"webhooks:write"')
  expect(code).toMatch(/'Posthorn-Organization: org_[0-9a-z]{26}'/)
  expect(code).toContain('POSTHORN_API_KEY')
  expect(code).not.toMatch(/ph[ks]_/)
  await page.getByRole('tab', { name: 'HTML', exact: true }).click()
  await page.getByRole('button', { name: 'Copy the HTML code' }).click()
  const copied = await copiedText(page, /<script/)
  expect(copied).toContain(`src="${server.url}/portal/element.js"`)
  await page.getByText(`Pages of these origins may frame the portal: ${host.origin}.`).waitFor()

  // Both previews were sessions, and both end with the page.
  expect(await sessionsSince(startedAt)).toHaveLength(2)
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  const areEnded = async () => (await sessionsSince(startedAt)).every(({ revokedAt }) => revokedAt)
  await until(areEnded, 'both sessions have ended')
})

story('an operator sends a link to the portal of an organization', async () => {
  const organizationId = await createOrganization(server, 'Riverside Museum')
  await open(`/as/${organizationId}/portal`)
  await page.getByRole('switch', { name: 'Allow changes' }).check()
  await page.getByRole('button', { name: 'Update preview' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  const url = await copiedText(page, /#token=/)
  expect(await page.getByLabel('Portal link of Riverside Museum').inputValue()).toBe(url)
  expect(await violations(page)).toEqual([])
  // Other access needs another link.
  await page.getByRole('button', { name: 'Update preview' }).click()
  await page.getByRole('button', { name: 'Create link' }).waitFor()

  await using customer = await visit(browser, { origins: [server.url] })
  await customer.page.goto(url)
  await customer.page.getByRole('link', { name: 'Add endpoint' }).first().waitFor()
  await customer.page.getByText('Riverside Museum', { exact: true }).first().waitFor()
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('token') as string
  const query = '{ viewer { organization { id } scopes session { expiresAt } } }'
  const { viewer } = await server.graphql(query, {}, token)
  expect(viewer.organization.id).toBe(organizationId)
  expect(viewer.scopes).toContain('webhooks:write')
  expect(viewer.scopes).not.toContain('secrets:read')
  const lastsMs = Date.parse(viewer.session.expiresAt) - Date.now()
  expect(lastsMs).toBeGreaterThan(3_000_000)
  expect(lastsMs).toBeLessThanOrEqual(3_600_000)
})

async function sessionsSince(time: Date): Promise<readonly { revokedAt: Date | null }[]> {
  await using database = await server.openDatabase()
  return await database.prisma.apiKey.findMany({
    where: { sessionKind: 'portal', createdAt: { gte: time } },
    select: { revokedAt: true },
  })
}

const READ_SCOPES = ['webhooks:read', 'deliveries:read', 'events:read']

const portalUrl = (input: { readonly scopes: readonly string[]; readonly webhookId?: string }) =>
  newPortalUrl(server, { theme: { primaryColor: '#0b7a4b', colorScheme: 'DARK' }, ...input })

async function framed(url: string): Promise<Visit> {
  const reader = await visit(browser, { origins: [host.origin, server.url] })
  await reader.page.goto(host.framing(url))
  return reader
}
