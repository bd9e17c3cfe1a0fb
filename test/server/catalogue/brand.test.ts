import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contrast, linkColors } from '../../../src/server/catalogue/brand-colors.ts'
import { receivers } from '../../../src/server/catalogue/receivers.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'

const HOSTILE = '"><script>alert(1)</script> & *Fair*'
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

let folder: string
let branded: TestApp
let plain: TestApp
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn brand '))
  await writeFile(path.join(folder, 'logo.svg'), LOGO)
  plain = await startTestApp({ role: 'api', environment: { POSTHORN_PUBLIC_CATALOGUE: 'true' } })
  branded = await startTestApp({
    role: 'api',
    database: plain.database,
    environment: {
      POSTHORN_PUBLIC_CATALOGUE: 'true',
      POSTHORN_BRAND_NAME: HOSTILE,
      POSTHORN_BRAND_COLOR: '#ffcc00',
      POSTHORN_BRAND_LOGO_FILE: path.join(folder, 'logo.svg'),
      POSTHORN_EGRESS_ADDRESSES: '203.0.113.7/32',
      POSTHORN_RETRY_SCHEDULE: '30s,90m',
      POSTHORN_ATTEMPT_TIMEOUT: '7s',
    },
  })
})
afterAll(async () => {
  await branded?.app[Symbol.asyncDispose]()
  await plain?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const textOf = async ({ app }: TestApp, at: string) => await (await fetch(app.url + at)).text()

test('the page says how this installation sends', async () => {
  for (const at of ['/event-types', '/event-types.md']) {
    const text = await textOf(branded, at)
    expect(text).toContain('the answer may take 7 s')
    expect(text).toContain('tried again up to 2 times')
    expect(text).toContain('1 h 30 min')
    expect(text).toContain('203.0.113.7/32')
    expect(text).not.toContain('can change, so do not let a firewall')
  }
  expect(await textOf(plain, '/event-types.md')).toContain('can change, so do not let a firewall')
})

test('a name that looks like markup is text', async () => {
  const page = await textOf(branded, '/event-types')
  expect(page).toContain(
    '<h1>Webhooks of &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; *Fair*</h1>',
  )
  expect(page).not.toContain('<script')
  expect(await textOf(branded, '/event-types.md')).toMatch(
    /^# Webhooks of "\\>\\<script\\>alert\(1\)\\<\/script\\> \\& \\\*Fair\\\*\n/,
  )
  expect(JSON.parse(await textOf(branded, '/event-types.json')).receiving.sender).toBe(HOSTILE)
  expect(await textOf(plain, '/event-types')).toContain('<h1>Consuming our webhooks</h1>')
})

test('the logo is a file of the same origin that can run nothing', async () => {
  expect(await textOf(branded, '/event-types')).toContain(
    '<img class="logo" src="/event-types/logo" alt="">',
  )
  const logo = await fetch(`${branded.app.url}/event-types/logo`)
  expect(logo.headers.get('content-type')).toBe('image/svg+xml')
  expect(logo.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(logo.headers.get('content-security-policy')).toContain('sandbox')
  expect(logo.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await logo.text()).toBe(LOGO)
  expect((await fetch(`${plain.app.url}/event-types/logo`)).status).toBe(404)
  expect(await textOf(plain, '/event-types')).not.toContain('<img')
})

describe('the color of links', () => {
  const parse = (text: string) =>
    [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as [number, number, number]

  test.each(['#ffcc00', '#000000', '#ffffff', '#2a50b4', '#ff0000', '#1a1b1e', '#777777'])(
    'of the brand %s can be read on the light and on the dark page',
    (brand) => {
      const { light, dark } = linkColors(brand)
      expect(contrast(parse(light), [255, 255, 255])).toBeGreaterThanOrEqual(4.5)
      expect(contrast(parse(dark), [26, 27, 30])).toBeGreaterThanOrEqual(4.5)
    },
  )

  test('is that of the brand where it can be read', () => {
    expect(linkColors('#2a50b4').light).toBe('#2a50b4')
    expect(linkColors('#ffcc00').dark).toBe('#ffcc00')
  })
})

test('the receivers are the tested ones, without the words of the repository', () => {
  const all = receivers('webhook-')
  expect(all.map(({ language }) => language)).toEqual([
    'Node',
    'Python',
    'Go',
    'PHP',
    'Ruby',
    'C#',
    'Java',
  ])
  for (const { code } of all) {
    expect(code).not.toMatch(/README|Posthorn/)
    expect(code).toMatch(/webhook-id|HTTP_WEBHOOK_ID|headerPrefix: 'webhook-'/)
  }
})
