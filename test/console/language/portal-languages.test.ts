import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { misfits } from '../support/layout.ts'
import { portalUrl } from '../support/portal-url.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { violations } from '../support/violations.ts'
import { visit } from '../support/visit.ts'
import { CONSOLE } from './portal-sources.ts'
import { shownTexts } from './shown-texts.ts'

const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'deliveries:read',
  'deliveries:write',
  'events:read',
]
const TABS = ['/webhooks', '/deliveries', '/event-types']

let browser: Browser
let seed: SeededServer
let data: ReadonlySet<string>

beforeAll(async () => {
  browser = await storyBrowser()
  seed = await seedServer()
  data = await namesIn(seed)
})
afterAll(async () => {
  await browser?.close()
  await seed?.[Symbol.asyncDispose]()
})

describe.each(['de', 'ja'])('%s', (locale) => {
  story.each([
    ['the three tabs', TABS],
    [
      'the pages of an endpoint',
      [
        '/webhooks/new',
        'ENDPOINT',
        'ENDPOINT?tab=deliveries',
        'ENDPOINT?tab=secret',
        'ENDPOINT?tab=settings',
        'ENDPOINT/edit',
        'ENDPOINT/recover',
      ],
    ],
    ['the pages of a delivery and an event type', ['DELIVERY', `/event-types/${JOINED}`]],
  ])('%s have no English text', async (_, paths) => {
    await using english = await open('en')
    await using other = await open(locale)
    for (const path of paths.map(filled)) {
      const [before, after] = [await textsAt(english.page, path), await textsAt(other.page, path)]
      const same = [...after].filter((text) => before.has(text) && !isSame(text, locale))
      expect(same, path).toEqual([])
      expect(await langOf(other.page)).toBe(locale)
    }
  })
})

story('in German, everything fits a phone', async () => {
  await using reader = await open('de', { width: 360, height: 740 })
  for (const path of [...TABS, '/webhooks/new', 'ENDPOINT', 'DELIVERY'].map(filled)) {
    await reader.page.goto(`${seed.server.url}/portal${path}`)
    await waitUntilLoaded(reader.page)
    expect(await misfits(reader.page), path).toEqual([])
    expect(await violations(reader.page), path).toEqual([])
  }
})

story('a number has its plural, and its signs of the region', async () => {
  await using reader = await open('de-DE')
  const { page } = reader
  await page.goto(`${seed.server.url}/portal/deliveries`)
  await waitUntilLoaded(page)
  const rows = page.getByRole('row').getByRole('checkbox')
  await rows.nth(0).check()
  await page.getByRole('button', { name: 'Erneut zustellen' }).click()
  await page.getByText('1 Zustellung erneut zustellen?').waitFor()
  await page.keyboard.press('Escape')
  await rows.nth(1).check()
  await page.getByRole('button', { name: 'Erneut zustellen' }).click()
  await page.getByText('2 Zustellungen erneut zustellen?').waitFor()
})

story('without a locale, the portal has the language of the browser', async () => {
  await using reader = await open(undefined, { locale: 'pt-BR' })
  await reader.page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  await reader.page.getByRole('link', { name: 'Entregas', exact: true }).waitFor()
  expect(await langOf(reader.page)).toBe('pt')
})

story('in a language that it has not, the portal is English', async () => {
  await using reader = await open('xx', { locale: 'fr-FR' })
  await reader.page.getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
  expect(await langOf(reader.page)).toBe('en')
})

story('the console is English in a German browser, and loads no other language', async () => {
  const { server } = seed
  await using reader = await visit(browser, {
    origins: [server.url],
    signedInTo: server,
    locale: 'de-DE',
  })
  const asked: string[] = []
  reader.page.on('request', (request) => asked.push(request.url()))
  await reader.page.goto(`${server.url}/console/webhooks`)
  await reader.page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(await langOf(reader.page)).toBe('en')
  expect(asked.filter((url) => /\/(de|fr|es|pt|ja)-[^/]*\.js/.test(url))).toEqual([])
})

async function open(
  locale: string | undefined,
  options: { width?: number; height?: number; locale?: string } = {},
) {
  const { server } = seed
  const { width = 1280, height = 800, locale: ofBrowser = 'en-GB' } = options
  const reader = await visit(browser, {
    origins: [server.url],
    viewport: { width, height },
    locale: ofBrowser,
  })
  await reader.page.goto(await portalUrl(server, { scopes: SCOPES, ...(locale && { locale }) }))
  await waitUntilLoaded(reader.page)
  return reader
}

async function textsAt(page: Page, path: string): Promise<ReadonlySet<string>> {
  await page.goto(`${seed.server.url}/portal${path}`)
  await waitUntilLoaded(page)
  return shownTexts(page)
}

const langOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

function filled(path: string): string {
  return path
    .replace('ENDPOINT', `/webhooks/${seed.webhooks.ledger}`)
    .replace('DELIVERY', `/deliveries/${seed.exhausted}`)
}

/** What is the same in every language: data, names, codes, and words that the other language has too. */
function isSame(text: string, locale: string): boolean {
  const texts: Record<string, string> = JSON.parse(
    readFileSync(path.join(CONSOLE, `locales/${locale}.json`), 'utf8'),
  )
  return texts[text] === text || isData(text) || CODE.test(text)
}

const isData = (text: string) =>
  text
    .replace(/ · Posthorn$/, '')
    .split(', ')
    .every((part) => data.has(part)) || data.has(text)

/** Ids, hosts, patterns of event types, signs, and numbers with a unit. */
const CODE = /\.example|\.\*$|^(msg|wh|evt|key|att)_|^[\d,.]+\s|^\dxx$|^p\d\d |^[A-Z]+$|^Posthorn$/

/** Names and descriptions that people gave. */
async function namesIn({ server }: SeededServer): Promise<ReadonlySet<string>> {
  const { viewer, webhooks, eventTypes } = await server.graphql<Named>(`{
    viewer { organization { name } }
    webhooks(first: 50) { nodes { description } }
    eventTypes(includeArchived: true) { name description }
  }`)
  return new Set([
    viewer.organization.name,
    ...webhooks.nodes.map(({ description }) => description ?? ''),
    ...eventTypes.flatMap(({ name, description }) => [name, description ?? '']),
  ])
}

interface Named {
  readonly viewer: { readonly organization: { readonly name: string } }
  readonly webhooks: { readonly nodes: readonly { readonly description: string | null }[] }
  readonly eventTypes: readonly { readonly name: string; readonly description: string | null }[]
}
