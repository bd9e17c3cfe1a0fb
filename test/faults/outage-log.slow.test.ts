import { expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { startInstallation } from '../support/installation.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

const installation = await useResource(startInstallation())

function publish(): Promise<Response> {
  const query = `mutation { publishEvent(input: { type: "${JOINED}", data: {} }) { __typename } }`
  return installation.call('POST', '/graphql', { query })
}

/** The lines about Postgres, and all others above level info. */
function linesAboutPostgres() {
  return logLines(installation.posthorn).filter(
    ({ event, level }) => event?.startsWith('postgres.') || !['debug', 'info'].includes(level),
  )
}

test('an outage of Postgres is one line at its beginning and one at its end, for the API and the worker together', async () => {
  const before = linesAboutPostgres().length
  installation.proxy.blackhole()
  for (let count = 0; count < 3; count++) {
    const answers = await Promise.all([publish(), publish(), publish()])
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('x-request-id')).toMatch(/./)
    }
  }
  await logLine(installation.posthorn, { event: 'postgres.unavailable' })
  installation.proxy.restore()
  await until(async () => (await publish()).status === 200, 'an event is accepted')
  const ended = () => linesAboutPostgres().filter(({ event }) => event === 'postgres.available')
  await until(() => ended().length === 1, 'the process reports the end', 60_000)
  const lines = linesAboutPostgres().slice(before)
  // The worker replaces its runner, whose connections broke.
  const others = lines.filter(({ event }) => event !== 'runner.replaced')
  const begins = { level: 'warn', event: 'postgres.unavailable', cause: 'unreachable' }
  const ends = { level: 'info', event: 'postgres.available' }
  expect(others).toMatchObject([begins, ends])
  expect(JSON.stringify(lines)).not.toContain('    at ')
})
