import type { Role } from '../config/settings.ts'
import { loadParts, startApp } from './app.ts'
import type { LoadingParts } from './running.ts'

/** Runs a role on the main thread. A fault ends the process, which its process manager starts again. */
export function loadAlone(role: Role): LoadingParts {
  const loading = loadParts({ role })
  // `start` reports it.
  loading.catch(() => {})
  return {
    async start(settings, { hasStarted }) {
      await loading
      const app = await startApp(settings, {
        role,
        rest: {
          readiness: async () => (hasStarted() ? {} : { start: false }),
          metrics: async () => [],
        },
      })
      return {
        url: app.url,
        provision: (dataDir) => app.provision(dataDir),
        abort: () => app.abort(),
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}
