import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { buildConsole } from '../support/built-console.ts'
import { collectOutput } from '../support/collect-output.ts'
import { useTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

// `npm start` would build it.
await buildConsole()
const database = await useTestDatabase()

test.each([
  ['SIGTERM to npm', (npm: number) => process.kill(npm, 'SIGTERM')],
  // The terminal sends it to the whole group.
  ['Ctrl+C', (npm: number) => process.kill(-npm, 'SIGINT')],
])('after %s, the server of `npm start` stops', async (_, stop) => {
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      ...testEnvironment(database.url),
      POSTHORN_LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const output = collectOutput(npm)
  const url = () => /"url":"([^"]+)".*"msg":"ready"/.exec(output.stderr)?.[1]
  await until(url, 'the server is ready', 30_000)
  const ended = once(npm, 'exit')
  stop(npm.pid as number)
  await ended
  await until(() => isRefused(`${url()}/healthz`), 'the server has stopped', 20_000)
  expect(output.stderr).toContain('stopping after the requests and attempts in flight')
})

async function isRefused(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => false,
    ({ cause }) => cause.code === 'ECONNREFUSED',
  )
}
