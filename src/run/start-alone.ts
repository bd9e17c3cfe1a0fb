import { startApp } from './app.ts'
import type { StartParts } from './start-threads.ts'

/** Runs a role on the main thread. A fault ends the process, which its process manager starts again. */
export const startAlone: StartParts = async (role, settings, { hasStarted }) => {
  const readiness = async () => (hasStarted() ? {} : { start: 'unavailable' as const })
  return await startApp(settings, { role, rest: { readiness, metrics: async () => [] } })
}
