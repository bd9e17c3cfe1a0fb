import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'

const posthorn = await useTestApp({ role: 'api' })

/** The answer to a request that asks for an upgrade. */
async function ask(path: string, headers: Record<string, string>) {
  const asked = request(`${posthorn.app.url}${path}`, {
    headers: { connection: 'Upgrade', ...headers },
  })
  asked.end()
  const [response] = await once(asked, 'response')
  return { status: response.statusCode as number, body: await text(response) }
}

test("upgrades are ignored: Java's HTTP client asks for h2c with its first request", async () => {
  const headers = { upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAAA' }
  expect(await ask('/openapi.json', headers)).toMatchObject({ status: 200 })
  expect(await ask('/subscriptions', headers)).toMatchObject({ status: 404 })
})
