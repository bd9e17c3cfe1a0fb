import type { Role } from '../config/settings.ts'
import { loadParts, startApp } from './app.ts'
import type { LoadingParts } from './start-threads.ts'

/** Runs a role on the main thread. A fault ends the process, which its process manager starts again. */
export function loadAlone(role: Role): LoadingParts {
  const loading = loadParts({ role })
  // `start` reports it.
  loading.catch(() => {})
  return {
    async start(settings, { hasStarted }) {
      await loading
      const readiness = async () => (hasStarted() ? {} : { start: 'unavailable' as const })
      return await startApp(settings, { role, rest: { readiness, metrics: async () => [] } })
    },
    async [Symbol.asyncDispose]() {},
  }
}
