import { afterEach, expect, test, vi } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { listeningConnections } from './support/live.ts'

const posthorn = await useTestApp({ role: 'api' })

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test('a quiet stream gets a comment at once, and another every 12 seconds', async () => {
  // graphql-yoga has a shorter interval in tests.
  vi.stubEnv('NODE_ENV', 'production')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const closed = new AbortController()
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${posthorn.tenant.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'subscription { attemptRecorded { id } }' }),
    signal: closed.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk)
  })()
  await until(() => text === ':\n\n', 'the first comment arrives')
  vi.advanceTimersByTime(35_999)
  await until(() => text.length >= 9, 'two more comments arrive')
  await posthorn.graphql('{ __typename }')
  expect(text).toBe(':\n\n'.repeat(3))
  vi.advanceTimersByTime(1)
  await until(() => text === ':\n\n'.repeat(4), 'the next comment arrives')
  closed.abort()
  await expect(reading).rejects.toThrow('aborted')
  const listening = () => listeningConnections(posthorn.database)
  await until(async () => (await listening()) === 0, 'no connection listens')
})
