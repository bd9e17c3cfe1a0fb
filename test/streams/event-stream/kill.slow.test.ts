import { expect, test } from 'vitest'
import { testEnvironment, useTestApp } from '../../support/app.ts'
import { freePort } from '../../support/free-port.ts'
import { startPosthorn } from '../../support/posthorn-process.ts'
import { until } from '../../support/until.ts'
import { addTypes, FIRST } from './support/reader.ts'

const posthorn = await useTestApp({ role: 'api' })

await addTypes(posthorn)

interface Pulled {
  readonly lease: string | null
  readonly events: { readonly data: { readonly n: number } }[]
}

const authorization = `Bearer ${posthorn.tenant.token}`

async function pull(origin: string): Promise<Pulled> {
  const path = '/api/events/v1/pull?consumer=survivor&max=20&lease=1&wait=1'
  return (await (await fetch(origin + path, { headers: { authorization } })).json()) as Pulled
}

async function acknowledge(origin: string, lease: string): Promise<boolean> {
  const { ok } = await fetch(`${origin}/api/events/v1/acknowledge`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ consumer: 'survivor', lease }),
  })
  return ok
}

test('kill -9 of a process between pulls and acknowledgements loses no event', async () => {
  const count = 300
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  await using killed = startPosthorn(['start', '--role', 'api'], {
    environment: { ...testEnvironment(posthorn.database.url), PORT: String(port) },
  })
  await until(
    async () => (await fetch(`${origin}/readyz`).catch(() => null))?.ok,
    'the process serves',
    60_000,
  )
  await pull(origin)
  const publishing = (async () => {
    for (let n = 1; n <= count; n += 10) {
      const events = Array.from({ length: 10 }, (_, i) => ({ type: FIRST, data: { n: n + i } }))
      await posthorn.services.publishEvents(posthorn.tenant.organizationId, events)
    }
  })()

  const acknowledged = new Set<number>()
  const pullAndAcknowledge = async (from: string) => {
    const { lease, events } = await pull(from)
    if (lease && (await acknowledge(from, lease))) {
      for (const { data } of events) acknowledged.add(data.n)
    }
  }
  /** The last pull before the kill is never acknowledged. */
  let lost: Pulled = { lease: null, events: [] }
  while (acknowledged.size < 60) await pullAndAcknowledge(origin)
  await until(async () => {
    lost = await pull(origin)
    return lost.events.length > 0
  }, 'another pull has events')
  killed.child.kill('SIGKILL')
  await killed.ended
  await publishing

  const { url } = posthorn.app
  await until(async () => {
    await pullAndAcknowledge(url)
    return acknowledged.size === count
  }, 'every event is acknowledged')
  expect(lost.events.every(({ data }) => acknowledged.has(data.n))).toBe(true)
  expect((await pull(url)).events).toEqual([])
})
