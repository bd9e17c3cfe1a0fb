import { createContext, Script } from 'node:vm'

export class TimedOut extends Error {}

/** Only code in a `node:vm` context can be interrupted. Entering the context costs some 50 µs. */
const context = createContext({ run: null }) as { run: (() => unknown) | null }
const script = new Script('run()')

/** Runs a check that can take long, and throws `TimedOut` after the limit. */
export function withTimeLimit<T>(limitMs: number, run: () => T): T {
  const before = process.threadCpuUsage()
  context.run = run
  for (let timeout = limitMs; ; timeout *= 2) {
    try {
      return script.runInContext(context, { timeout }) as T
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.threadCpuUsage(before)
      // On a busy machine, time passes while the check waits for a processor: then it has another try.
      if ((user + system) / 1_000 > limitMs / 2) throw new TimedOut()
    }
  }
}
