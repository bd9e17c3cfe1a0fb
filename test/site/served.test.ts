import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDocsFiles } from '../../src/server/docs-files.ts'
import { startTestApp } from '../support/app.ts'
import { builtSite, SITE } from './built-site.ts'

describe('/docs', SITE, () => {
  let folder: string
  beforeAll(async () => {
    folder = await builtSite()
  })
  const request = (at: string, init: RequestInit = {}) => createDocsFiles(folder).request(at, init)
  const get = (at: string, headers: Record<string, string> = {}) => request(at, { headers })

  test.each(['/docs/guides/filters', '/docs/guides/filters/'])('%s is a page', async (at) => {
    const response = await get(at)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toContain('Filters and patterns</h1>')
  })

  test('a page is Markdown at its address with .md', async () => {
    const named = await get('/docs/guides/filters.md')
    expect(named.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await named.text()).toMatch(/^# Filters and patterns\n/)
  })

  test('a page is compressed, and is not sent again until it changes', async () => {
    const headers = { 'accept-encoding': 'br' }
    const response = await get('/docs/guides/filters', headers)
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('vary')).toMatch(/accept-encoding/i)
    const html = brotliDecompressSync(Buffer.from(await response.arrayBuffer())).toString()
    expect(html).toContain('Filters and patterns')
    const etag = response.headers.get('etag') ?? ''
    const again = await get('/docs/guides/filters', { ...headers, 'if-none-match': etag })
    expect(again.status).toBe(304)
    const plain = await get('/docs/guides/filters', { 'if-none-match': etag })
    expect(plain.status).toBe(200)
    expect(plain.headers.get('etag')).not.toBe(etag)
    const head = await request('/docs/guides/filters', { method: 'HEAD', headers })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  test('an asset, whose name has the hash of its content, is kept for a year', async () => {
    const assets = await readdir(path.join(folder, '_astro'))
    const style = assets.find((name) => name.endsWith('.css'))
    const response = await get(`/docs/_astro/${style}`)
    expect(response.headers.get('content-type')).toMatch(/^text\/css/)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/docs/_astro/gone.css')).headers.get('cache-control')).toBe('no-cache')
  })

  test('a copied file of the repository is shown as text', async () => {
    const response = await get('/docs/files/deploy/roles.sql')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    '/docs/guides/nothing',
    '/docs/guides/nothing.md',
    '/docs/_astro/nothing.js',
    '/docs/files/package.json',
    '/docs/../package.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/files/..%5c..%5c..%5cpackage.json',
    '/docs/%00',
  ])('%s is a page that says that there is nothing', async (at) => {
    // `Request` would resolve the dots.
    const response = await createDocsFiles(folder).fetch({
      ...{ method: 'GET', url: `http://posthorn.example${at}`, headers: new Headers() },
    } as Request)
    expect(response.status).toBe(404)
    const body = await response.text()
    expect(body).not.toContain('"name"')
    if (!at.includes('/../')) expect(body).toContain('<h1')
  })

  test('only GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await request('/docs/guides/filters', { method })).status).toBe(404)
    }
  })

  test('pages run only scripts of their own, cannot be framed, and ask no other origin', async () => {
    for (const at of ['/docs/guides/filters', '/docs/guides/nothing']) {
      const policy = (await get(at)).headers.get('content-security-policy') ?? ''
      expect(policy).toContain(`default-src 'none'`)
      expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval'( 'sha256-[\w+/=]+')+;/)
      expect(policy).toContain(`connect-src 'self'`)
      expect(policy).toContain(`frame-ancestors 'none'`)
      expect(policy).not.toMatch(/https?:|\*|'unsafe-eval'|script-src[^;]*unsafe-inline/)
    }
  })
})

test('where no site is built, /docs says how to build it', async () => {
  await using empty = await mkdtempDisposable(path.join(tmpdir(), 'posthorn-docs-'))
  for (const folder of [empty.path, path.join(empty.path, 'missing')]) {
    for (const at of ['/docs', '/docs/guides/filters', '/docs/llms.txt']) {
      const response = await createDocsFiles(folder).request(at)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('npm run build:docs')
    }
  }
})

test('a server serves the documentation beside the console, which links to it', SITE, async () => {
  await builtSite()
  await using posthorn = await startTestApp({ role: 'api' })
  const response = await fetch(`${posthorn.app.url}/docs/guides/filters/`)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('Filters and patterns</h1>')
  const page = await fetch(`${posthorn.app.url}/console`)
  expect(await page.text()).toContain('name="posthorn-docs" content="on"')
})
