import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call, createWebhook } from '../support/call.ts'
import type { ConsoleServer } from '../support/console-server.ts'
import { misfits } from '../support/layout.ts'
import { violations } from '../support/violations.ts'

/** Adds a webhook of the receiver, by default one that subscribes to `JOINED`. Returns its id. */
export const addWebhook = (server: ConsoleServer, name: string, input: object = {}) =>
  createWebhook(server, {
    url: `${server.receiver.url}${name}`,
    description: `The ${name}`,
    enabled: true,
    retryScheduleSeconds: [3_600],
    ...input,
  })

/** Publishes events of `JOINED` one after the other. Returns their ids, the oldest first. */
export async function publish(server: ConsoleServer, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let order = 1; order <= count; order++) {
    const input = { type: JOINED, data: { order } }
    const fields = 'publishedEvent { id }'
    const { publishedEvent } = await call(server, 'publishEvent', { input }, fields)
    ids.push(publishedEvent.id)
  }
  return ids
}

/** The page is accessible in both color schemes, and fits a phone, a tablet and screens. */
export async function expectFits(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page), colorScheme).toEqual([])
  }
  for (const width of [360, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await misfits(page), `${width} pixels`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}
