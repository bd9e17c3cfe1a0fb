import { unavailabilityOf } from '../db/faults.ts'
import type { MaintenanceStep } from '../telemetry/counters.ts'
import type { Logger } from '../telemetry/logger.ts'

/** A maintenance whose steps run whether or not others fail. */
export interface Maintenance {
  /** Returns the result of the step, or null if it failed. Throws if no other step could run either. */
  run<Result>(
    step: MaintenanceStep,
    run: () => Promise<Result>,
    table?: string,
  ): Promise<Result | null>
  /** Of the steps that have run. */
  readonly results: Partial<Record<MaintenanceStep, unknown>>
  /** Throws if a step failed, so that the job is retried. */
  end(): void
}

interface Failure {
  readonly step: MaintenanceStep
  readonly table?: string
  readonly error: unknown
}

export function startMaintenance(
  logger: Logger,
  countFailure: (by: number, step: MaintenanceStep) => void,
): Maintenance {
  const failures: Failure[] = []
  const results: Maintenance['results'] = {}
  return {
    results,
    async run(step, run, table) {
      try {
        const result = await run()
        results[step] = result
        return result
      } catch (error) {
        if (concernsAllSteps(error)) throw error
        const failure = { step, ...(table !== undefined && { table }), error }
        failures.push(failure)
        countFailure(1, step)
        logger.warn(
          { event: 'maintenance.failed', ...failure },
          'a step of the maintenance failed; it is tried again',
        )
        return null
      }
    },

    end() {
      if (failures.length === 0) return
      // Without the errors as its cause: the job fails also if each of them means that others hold locks.
      throw new Error(
        `The other steps of the maintenance have run, but these failed: ${failures.map(describe).join('; ')}.`,
      )
    },
  }
}

/** A full disk does not: dropping partitions frees it. */
function concernsAllSteps(error: unknown): boolean {
  const cause = unavailabilityOf(error)
  return cause === 'unreachable' || cause === 'pool_exhausted' || cause === 'stopping'
}

function describe({ step, table, error }: Failure): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${step}${table === undefined ? '' : ` of ${table}`} (${message})`
}
