import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { describeMetrics } from '../../scripts/site/reference/metrics.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { startInstallation } from '../support/installation.ts'
import { programPath } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { startReceiver } from '../support/receiver.ts'
import { useResource } from '../support/use-resource.ts'
import { scrape, scrapeUntil, sumOf } from './support/exposition.ts'

const receiver = await useResource(startReceiver())

/** It counts what all its organizations do. */
const posthorn = await useTestApp({ trustedAuthorities: [receiver.authority] })

/** Scrapes until the gauges of the database are there, and the metrics of the first request. */
const scrapeAll = (url: string) =>
  scrapeUntil(
    url,
    (metrics) =>
      metrics.has('posthorn_workers') &&
      metrics.has('posthorn_attempts_total') &&
      sumOf(metrics, 'posthorn_http_requests_total') !== null,
    'all metrics are exposed',
  )

const publish = (input: object = {}) =>
  posthorn.graphql(
    `mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }`,
    { input: { type: JOINED, data: {}, ...input } },
  )

describe('a process with the API and the worker', async () => {
  const { url } = await useResource(startInstallation())

  test('exposes the metrics of the reference, with their types and labels', async () => {
    const metrics = [...(await scrapeAll(url)).values()]
    const own = metrics.filter(({ name }) => name.startsWith('posthorn_'))
    const { ofProcess, ofInstallation } = describeMetrics()
    const described = [...ofProcess, ...ofInstallation]
      .filter(({ name }) => name.startsWith('posthorn_'))
      .map(({ name, type, labels }) => ({ name, type, labels: labels.toSorted() }))
    const exposed = own.map(({ name, type, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)))
      return { name, type, labels: [...labels].filter((label) => label !== 'le').sort() }
    })
    expect(exposed).toHaveLength(described.length)
    expect(exposed).toEqual(expect.arrayContaining(described))
    const others = metrics.filter((metric) => !own.includes(metric)).map(({ name }) => name)
    expect(others.filter((name) => !/^(process|nodejs)_/.test(name))).toEqual([])
  })

  test('has every counter and histogram of its own from the start', async () => {
    const metrics = [...(await scrapeAll(url)).values()]
    const counting = metrics.filter(
      ({ name, type }) => name.startsWith('posthorn_') && type !== 'gauge',
    )
    expect(counting.filter(({ samples }) => samples.length === 0)).toEqual([])
    const attempts = metrics.find(({ name }) => name === 'posthorn_attempts_total')
    expect(attempts?.samples.map(({ labels }) => labels['error_code'])).toEqual(
      expect.arrayContaining(['', 'http_5xx', 'connect_timed_out', 'address_not_public']),
    )
  })

  test('describes the process, its role and its thread', async () => {
    const metrics = await scrapeAll(url)
    const described = { node: process.versions.node, role: 'all' }
    expect(sumOf(metrics, 'posthorn_build_info', described)).toBe(1)
    expect(metrics.get('process_start_time_seconds')?.samples).toHaveLength(1)
    expect(metrics.get('nodejs_eventloop_lag_p99_seconds')?.samples).toHaveLength(1)
    expect(sumOf(metrics, 'posthorn_postgres_up')).toBe(1)
    expect(sumOf(metrics, 'posthorn_thread_restarts_total')).toBe(0)
  })

  test('promtool finds nothing wrong', needs('promtool'), async () => {
    const text = await (await fetch(new URL('/metrics', url))).text()
    const options = { input: text, encoding: 'utf8' } as const
    // It prints what it finds, and fails for some of it.
    expect(execFileSync(programPath('promtool'), ['check', 'metrics'], options)).toBe('')
  })
})

test('counts events, deliveries and attempts, failed ones by their cause, and shows no id', async () => {
  const id = await createWebhook(posthorn, receiver.url)
  await publish({ idempotencyKey: 'once' })
  await publish({ idempotencyKey: 'once' })
  const finished = async (state: string) =>
    await scrapeUntil(
      posthorn.app.url,
      (scraped) => sumOf(scraped, 'posthorn_deliveries_finished_total', { state }) === 1,
      `the ${state} delivery is counted`,
    )
  const metrics = await finished('succeeded')
  const refused = { outcome: 'failed', error_code: 'connection_refused' }
  for (const [name, labels] of [
    ['events_published_total'],
    ['events_duplicate_total'],
    ['deliveries_created_total'],
    ['attempts_total', { outcome: 'succeeded' }],
    ['attempt_duration_seconds_count'],
    ['attempt_delay_seconds_count'],
  ] as const) {
    expect(sumOf(metrics, `posthorn_${name}`, labels), name).toBe(1)
  }
  expect(sumOf(metrics, 'posthorn_attempts_total', { outcome: 'failed' })).toBe(0)
  await posthorn.rest('DELETE', `/webhooks/${id}`)
  const refusing = `https://127.0.0.1:${await freePort()}`
  await createWebhook(posthorn, refusing, { retryScheduleSeconds: [] })
  await publish()
  expect(sumOf(await finished('exhausted'), 'posthorn_attempts_total', refused)).toBe(1)
  const text = await (await fetch(new URL('/metrics', posthorn.app.url))).text()
  expect(text).not.toContain(id)
  expect(text).not.toContain(posthorn.tenant.publicOrganizationId)
})

test('counts requests by the pattern of their route, and those that a limit rejects', async () => {
  for (const path of ['/webhooks/wh_01h455vb4pex5vsknk084sn02q', '/webhooks', '/webhooks/x/y/z']) {
    await posthorn.rest('GET', path)
  }
  await fetch(new URL('/nowhere/wh_1', posthorn.app.url))
  const guess = { headers: { authorization: 'Bearer phk_guess' } }
  const statuses: number[] = []
  for (let i = 0; i < 25; i++) {
    const url = new URL('/api/connect/v1/webhooks', posthorn.app.url)
    statuses.push((await fetch(url, guess)).status)
  }
  const document = `{ ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(' ')} }`
  await expect(posthorn.graphql(document)).rejects.toThrow(/limit of 50 root fields/)
  const large = { url: receiver.url, description: 'a'.repeat(70_000) }
  expect((await posthorn.rest('POST', '/webhooks', large)).status).toBe(413)
  // On a slow machine, an address may guess again before the last request.
  const rejected = statuses.filter((status) => status === 429).length
  expect(rejected).toBeGreaterThan(0)
  const failedKeys = { limit: 'failed_keys' }
  const list = { route: '/api/connect/v1/webhooks', status: '4xx' }
  const metrics = await scrapeUntil(
    posthorn.app.url,
    (scraped) =>
      sumOf(scraped, 'posthorn_limit_rejections_total', failedKeys) === rejected &&
      // A request is counted once its connection has the whole response, after the client.
      (sumOf(scraped, 'posthorn_http_requests_total', list) ?? 0) >= 26,
    'the rejected requests are counted',
  )
  for (const limit of ['document', 'body']) {
    expect(sumOf(metrics, 'posthorn_limit_rejections_total', { limit })).toBe(1)
  }
  const count = (route: string, status: string) =>
    sumOf(metrics, 'posthorn_http_requests_total', { route, status })
  expect(count('/api/connect/v1/webhooks/{webhook_id}', '4xx')).toBe(1)
  expect(count('/api/connect/v1/webhooks', '2xx')).toBe(1)
  // One of them with the large body.
  expect(count('/api/connect/v1/webhooks', '4xx')).toBe(26)
  expect(count('none', '4xx')).toBe(1)
  const routes = metrics
    .get('posthorn_http_requests_total')
    ?.samples.map(({ labels }) => labels['route'])
  expect(routes?.filter((route) => /wh_|nowhere/.test(route ?? ''))).toEqual([])
})

test('with POSTHORN_METRICS_PORT, only that port serves metrics, and serves nothing else', async () => {
  const port = await freePort()
  await using other = await startTestApp({ environment: { POSTHORN_METRICS_PORT: `${port}` } })
  const own = `http://127.0.0.1:${port}`
  expect((await fetch(new URL('/metrics', other.app.url))).status).toBe(404)
  expect((await fetch(`${own}/graphql`)).status).toBe(404)
  expect(sumOf(await scrape(own), 'posthorn_build_info')).toBe(1)
  // A port in use ends the start with an error that names the setting.
  const again = startTestApp({ environment: { POSTHORN_METRICS_PORT: `${port}` } })
  await expect(again).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use, by another program or a Posthorn that already runs. Stop it, or choose another port: POSTHORN_METRICS_PORT=`,
  )
})
