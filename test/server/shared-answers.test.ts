import { expect, test } from 'vitest'
import { createOperatorRoutes } from '../../src/server/operator-routes.ts'
import { useTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const posthorn = await useTestApp()

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, posthorn.app.url), { headers })

test.each(['/openapi.json', '/schema.graphql'])('%s is sent once to a client', async (path) => {
  const first = await get(path)
  const tag = first.headers.get('etag') as string
  expect(tag).toMatch(/^"[0-9a-f]{40}"$/)
  expect((await first.text()).length).toBeGreaterThan(10_000)
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await get(path, { 'if-none-match': known })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(tag)
    expect(again.headers.get('cache-control')).toBe('no-cache')
  }
  for (const other of ['"other"', 'nonsense', '']) {
    expect((await get(path, { 'if-none-match': other })).status).toBe(200)
  }
})

test('many requests for /metrics get one page, and a later one a new page', async () => {
  const startedAt = performance.now()
  const pages = await Promise.all(
    Array.from({ length: 50 }, async () => (await get('/metrics')).text()),
  )
  const seconds = Math.floor((performance.now() - startedAt) / 1_000)
  // One page a second: on a free machine at most one second began in between.
  expect(new Set(pages).size).toBeLessThanOrEqual(2 + seconds)
  await until(async () => {
    const page = await (await get('/metrics')).text()
    return /posthorn_http_requests_total\{[^}]*route="\/metrics"[^}]*\} \d{2}/.test(page)
  }, 'a page counts these requests')
})

test('many requests for /readyz check once', async () => {
  let checks = 0
  const worker = {
    get running() {
      checks += 1
      return true
    },
    abort() {},
    async [Symbol.asyncDispose]() {},
  }
  const routes = createOperatorRoutes({ ...posthorn.services, worker, servesMetrics: false })
  const answers = await Promise.all(Array.from({ length: 200 }, () => routes.request('/readyz')))
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
  expect(checks).toBe(1)
  await until(async () => {
    await routes.request('/readyz')
    return checks === 2
  }, 'a later request checks again')
})
