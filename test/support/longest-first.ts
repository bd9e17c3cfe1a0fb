import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longer than 20 s, the longest first: they start first, so that none of them runs alone at the end. */
const LONG = [
  'release/release',
  'release/archives',
  'console/every-page',
  'cli/commands',
  'faults/faults',
  'e2e/crash',
  'recoveries/recovery-crash',
  'console/shell/shell',
  'cli/listen',
  'threads/supervision',
  'console/portal',
  'console/first-webhook',
  'migrate/neighbor',
  'console/webhooks/recover',
  'console/session',
  'console/explorer',
  'e2e/first-run',
  'console/unsaved-changes',
  'console/charts',
  'db/embedded',
  'db/hostile-postgres',
  'react/pages/delivery-log',
  'scheduling/backlog-changes',
  'console/portal-element',
  'telemetry/tracing',
  'console/operator',
  'faults/outage-log',
  'faults/embedded-restart',
  'rest/http-limits',
  'console/live-resume',
  'examples/fetch',
  'console/explore',
  'examples/urql',
  'scheduling/circuit-breaker',
  'queue/runner',
  'deploy/dockerfile',
  'graphql/many-deliveries',
  'console/webhooks/trouble',
  'outbound/surplus-bytes',
  'migrate/upgrade',
  'examples/relay',
  'console/deliveries/one-delivery',
  'scheduling/concurrency-limit',
  'examples/apollo',
  'console/first-load',
  'faults/restore',
  'scheduling/killed-worker',
  'react/pages/webhook-form',
  'faults/postgres-outage',
  'faults/together',
  'queue/dead-workers',
  'console/onboarding/publish-code',
  'console/shell/command-menu',
  'console/onboarding/first-delivery',
  'db/transaction-pooler',
  'console/live/live-tail',
  'db/connections',
  'fuzz/fuzz',
  'scheduling/fairness',
]

/** Runs the groups in their order, and in each group the long files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b))
  }
}

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? LONG.length : rank
}
