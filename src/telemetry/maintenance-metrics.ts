import { Counter, type Registry } from 'prom-client'

/** The steps of the maintenance, in order. */
export const MAINTENANCE_STEPS = [
  'detach_partitions',
  'drop_partitions',
  'create_partitions',
  'delete_default_rows',
  'retention_rules',
  'old_payloads',
  'finished_jobs',
  'bulk_tasks',
  'statistics',
  'holds',
  'incidents',
  'event_streams',
  'secrets',
  'idempotency_keys',
  'notice_mails',
  'sessions',
  'audit_entries',
] as const

export type MaintenanceStep = (typeof MAINTENANCE_STEPS)[number]

export interface MaintenanceMetrics {
  failed(step: MaintenanceStep): void
}

export function createMaintenanceMetrics(registry: Registry): MaintenanceMetrics {
  const failures = new Counter({
    name: 'posthorn_maintenance_failures_total',
    help: 'Steps of the maintenance that failed. Each is tried again, at the latest by the next maintenance after 15 minutes.',
    labelNames: ['step'],
    registers: [registry],
  })
  for (const step of MAINTENANCE_STEPS) failures.inc({ step }, 0)
  return { failed: (step) => failures.inc({ step }) }
}
