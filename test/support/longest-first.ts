import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longer than 20 s, the longest first: they start first, so that none of them runs alone at the end. */
const LONG = [
  'console/every-page',
  'console/explore',
  'console/shell/shell',
  'e2e/crash',
  'threads/supervision',
  'recoveries/recovery-crash',
  'console/first-webhook',
  'faults/faults',
  'cli/commands',
  'console/portal-element',
  'console/portal',
  'console/explorer',
  'console/session',
  'console/charts',
  'console/webhooks/recover',
  'console/unsaved-changes',
  'migrate/neighbor',
  'cli/listen',
  'console/operator',
  'scheduling/backlog-changes',
  'migrate/upgrade',
  'telemetry/tracing',
  'examples/apollo',
  'examples/urql',
  'examples/fetch',
  'react/pages/webhook-form',
  'react/pages/delivery-log',
  'e2e/first-run',
  'scheduling/concurrency-limit',
  'console/webhooks/trouble',
  'faults/embedded-restart',
  'examples/relay',
  'console/live-resume',
  'rest/http-limits',
  'console/deliveries/one-delivery',
  'graphql/many-deliveries',
  'console/shell/command-menu',
  'faults/outage-log',
  'db/embedded',
  'deploy/dockerfile',
  'console/first-load',
  'console/onboarding/first-delivery',
  'scheduling/killed-worker',
  'fuzz/fuzz',
  'fuzz/event-loop',
  'graphql/live',
  'server/streams-over-http2',
  'webhooks/send-options',
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
