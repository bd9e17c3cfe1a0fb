import type { Response } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { createWebhooks } from './seed.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { backfillStatistics } from './support/statistics-backfill.ts'

/* The first page of an organization with a month of statistics. */
const SCRIPT_BYTES = 250 * 1_024

openDesk()

beforeAll(async () => {
  await using database = await server.openDatabase()
  await backfillStatistics(database.pool, await createWebhooks(server))
})

story('the first load is at most 250 KB of compressed script', async () => {
  const scripts: Response[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response)
  })
  await open('/overview')
  let total = 0
  for (const script of scripts) {
    expect(await script.headerValue('content-encoding'), script.url()).toMatch(/^(br|gzip)$/)
    total += (await script.request().sizes()).responseBodySize
  }
  expect(scripts.length).toBeGreaterThan(1)
  expect(total).toBeLessThanOrEqual(SCRIPT_BYTES)
})
