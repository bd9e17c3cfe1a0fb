import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startTestApp, type TestApp, useTestApp } from '../support/app.ts'
import { buildConsole } from '../support/built-console.ts'
import { useFolder } from '../support/use-folder.ts'

await buildConsole()

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const callsOf =
  ({ app }: TestApp) =>
  (at: string, headers: Record<string, string> = {}) =>
    fetch(app.url + at, { headers: { accept: BROWSER, ...headers } })

const folder = await useFolder('graphiql')
const posthorn = await useTestApp({ role: 'api' })
const get = callsOf(posthorn)

const LINKED = 'name="posthorn-graphiql" content="on"'

test('browsers get GraphiQL, and the console links to it, but not the portal', async () => {
  for (const at of ['/graphql', '/graphql/events', '/graphql?query={viewer{scopes}}']) {
    const page = await get(at)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('vary')).toContain('accept')
    expect(await page.text()).toContain('YogaGraphiQL')
    const tag = page.headers.get('etag') ?? ''
    expect((await get(at, { 'if-none-match': tag })).status).toBe(304)
  }
  expect(await (await get('/console')).text()).toContain(LINKED)
  expect(await (await get('/portal')).text()).not.toContain(LINKED)
})

test('the page runs one script of its own, calls its own origin alone, and cannot be framed', async () => {
  const page = await get('/graphql')
  const scripts = (await page.text()).match(/(?<=<script>).*?(?=<\/script>)/gs) ?? []
  const hashes = scripts.map((one) => createHash('sha256').update(one).digest('base64'))
  expect(hashes).toHaveLength(1)
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain(`default-src 'none'; script-src 'sha256-${hashes[0]}';`)
  expect(policy).toContain(`connect-src 'self';`)
  expect(policy).toContain(`frame-ancestors 'none'`)
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
})

test('programs get the API', async () => {
  for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
    const authorization = `Bearer ${posthorn.tenant.token}`
    const { status, headers } = await get('/graphql?query={__typename}', { accept, authorization })
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('json')])
    expect(headers.get('vary')).toContain('accept')
  }
})

test('with trusted documents there is no GraphiQL, because no other document could run', async () => {
  const file = path.join(folder, 'documents.json')
  await writeFile(file, '{}')
  const environment = { POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: file }
  await using posthorn = await startTestApp({ role: 'api', environment })
  const get = callsOf(posthorn)
  for (const at of ['/graphql', '/graphql/events']) {
    expect((await get(at)).headers.get('content-type')).not.toContain('html')
  }
  expect(await (await get('/console')).text()).not.toContain(LINKED)
})
