import { unavailabilityOf } from '../db/faults.ts'
import type { MaintenanceStep } from '../telemetry/counters.ts'
import type { MaintenanceFailure, ReportMaintenanceFailure } from '../telemetry/events.ts'

/** A maintenance whose steps run whether or not others fail. */
export interface Maintenance {
  /** Returns the result of the step, or null if it failed. Throws if no other step could run either. */
  run<Result>(
    step: MaintenanceStep,
    run: () => Promise<Result>,
    table?: string,
  ): Promise<Result | null>
  /** Throws if a step failed, so that the job is retried. */
  end(): void
}

export function startMaintenance(report: ReportMaintenanceFailure): Maintenance {
  const failures: MaintenanceFailure[] = []
  return {
    async run(step, run, table) {
      try {
        return await run()
      } catch (error) {
        if (concernsAllSteps(error)) throw error
        const failure = { step, ...(table !== undefined && { table }), error }
        failures.push(failure)
        report(failure)
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

function describe({ step, table, error }: MaintenanceFailure): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${step}${table === undefined ? '' : ` of ${table}`} (${message})`
}
