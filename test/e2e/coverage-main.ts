import { Session } from 'node:inspector/promises'
import { loadConfig } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { startApp } from '../../src/run/app.ts'

/*
 * Posthorn in one thread, which tells its parent the address, and at each message the files of `src` that ran since the
 * one before, by the coverage that V8 measures.
 */
const { config, secrets } = loadConfig(process.env)
const app = await startApp({
  config,
  secrets: secrets as Settings['secrets'],
  trustedAuthorities: [process.env['RECEIVER_AUTHORITY'] as string],
})
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

async function takeFiles(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]?.count))
  return ran.flatMap(({ url }) => /\/src\/(?!db\/generated)(.+)$/.exec(url)?.[1] ?? [])
}

process.on('message', async () => process.send?.(await takeFiles()))
process.on('disconnect', () => process.exit())
process.send?.(app.url)
