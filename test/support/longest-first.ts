import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longer than 20 s, the longest first: they start first, so that none of them runs alone at the end. */
const LONG = [
  'console/every-page',
  'queue/dead-workers',
  'scheduling/killed-worker',
  'recoveries/recovery-crash',
  'e2e/crash',
  'react/pages/delivery-log',
  'faults/faults',
  'migrate/upgrade',
  'console/webhooks/secret/verify-snippets',
  'rest/http-limits',
  'console/live-resume',
  'console/explore',
  'console/shell/shell',
  'console/first-webhook',
  'console/portal',
  'console/portal-element',
  'console/explorer',
  'deploy/dockerfile',
  'scheduling/backlog-changes',
  'migrate/neighbor',
  'console/session',
  'console/charts',
  'console/webhooks/recover',
  'console/unsaved-changes',
  'console/operator',
  'examples/relay',
  'examples/apollo',
  'examples/urql',
  'examples/fetch',
  'scheduling/concurrency-limit',
  'telemetry/tracing',
  'cli/commands',
  'faults/dropped-connections',
  'queue/runner',
  'db/embedded',
  'db/transaction-pooler',
  'faults/outage-log',
  'cli/listen',
  'queue/heartbeat',
  'scheduling/circuit-breaker',
  'scheduling/ordered',
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
