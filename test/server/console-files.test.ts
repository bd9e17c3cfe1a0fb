import { readdir } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createConsoleFiles } from '../../src/server/console-files.ts'
import { buildConsole } from '../support/built-console.ts'

await buildConsole()

const HOST = 'https://app.example'
const files = createConsoleFiles({ portalOrigins: [HOST], graphiql: true })
const get = (path: string, headers: Record<string, string> = {}) => files.request(path, { headers })

const assets = await readdir(new URL('../../dist/console/assets/', import.meta.url))
const script = assets.find((name) => /^index-.*\.js$/.test(name)) as string

describe('the pages of the console', () => {
  test.each([
    '/console',
    '/console/',
    '/console/webhooks/wh_1?tab=secret',
    '/portal',
    '/portal/events',
  ])('%s is the one HTML file, which browsers revalidate each time', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toContain(script)
  })

  test('run only scripts of their own origin, and no inline scripts', async () => {
    const response = await get('/console')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`script-src 'self';`)
    expect(policy).toContain(`connect-src 'self'`)
    expect(policy).not.toContain('unsafe-eval')
    const html = await response.text()
    for (const [, attributes, content] of html.matchAll(/<script([^>]*)>([^<]*)</g)) {
      expect(attributes).toMatch(/ src="\/console\//)
      expect(content).toBe('')
    }
  })

  test('cannot be framed, except the portal by its own origin and the configured ones', async () => {
    const console = await get('/console')
    const policy = console.headers.get('content-security-policy')
    expect(policy).toContain(`frame-ancestors 'none'`)
    expect(policy).toContain(`frame-src 'self';`)
    for (const [portalOrigins, ancestors] of [
      [[HOST], `'self' ${HOST}`],
      [[], `'self'`],
    ] as const) {
      const { headers } = await createConsoleFiles({ portalOrigins, graphiql: false }).request(
        '/portal',
      )
      expect(headers.get('content-security-policy')).toMatch(
        new RegExp(`frame-src 'none';.*frame-ancestors ${ancestors}$`),
      )
    }
  })
})

test('/ leads a browser to the console, and is not found for a program', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const [headers, status] of [
    [{ accept: browser }, 302],
    [{}, 404],
    [{ accept: '*/*' }, 404],
    [{ accept: 'application/json, text/html;q=0.5' }, 404],
  ] as const) {
    const response = await get('/', headers)
    expect(response.status).toBe(status)
    expect(response.headers.get('location')).toBe(status === 302 ? '/console' : null)
    expect(response.headers.get('vary')).toBe('accept')
  }
})

describe('the files of the console', () => {
  test('are cached by browsers for a year, because their names include a hash of their content', async () => {
    const response = await get(`/console/assets/${script}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('are sent compressed to clients that accept it, with the same content', async () => {
    const plain = await (await get(`/console/assets/${script}`)).text()
    const response = await get(`/console/assets/${script}`, { 'accept-encoding': 'gzip, br' })
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('vary')).toMatch(/accept-encoding/i)
    const body = Buffer.from(await response.arrayBuffer())
    expect(body.length).toBeLessThan(plain.length / 2)
    expect(brotliDecompressSync(body).toString()).toBe(plain)
  })

  test.each(['index-00000000.js', '..%2F..%2F..%2Fpackage.json', '../../../package.json', ''])(
    'any other path is not found: %s',
    async (name) => {
      const response = await get(`/console/assets/${name}`)
      expect(await response.text()).not.toContain('"name": "posthorn"')
      if (!name.startsWith('../')) {
        expect(response.status).toBe(404)
        expect(response.headers.get('cache-control') ?? '').not.toContain('immutable')
      }
    },
  )
})
