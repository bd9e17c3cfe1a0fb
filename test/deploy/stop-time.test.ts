import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DRAIN_TIMEOUT_MS } from '../../src/queue/runner.ts'
import { FLUSH_WITHIN_MS } from '../../src/telemetry/start-tracing.ts'
import { ROOT } from '../docs/support/pages.ts'

const CHART = 'deploy/helm/posthorn/templates/_helpers.tpl'

/** The first number after a text in a file. */
function numberAfter(text: string, file: string): number {
  const [, rest = ''] = readFileSync(path.join(ROOT, file), 'utf8').split(text)
  return Number(/^\D{0,40}(\d+)/.exec(rest)?.[1])
}

test.each([
  ['systemd', numberAfter('TimeoutStopSec', 'deploy/systemd/posthorn.service')],
  ['Compose', numberAfter('stop_grace_period', 'deploy/compose.yaml')],
  ['docker run', numberAfter('--stop-timeout', 'docs/operate/deploying.md')],
  [
    'Kubernetes',
    numberAfter('terminationGracePeriodSeconds', CHART) - numberAfter('sleep:', CHART),
  ],
])(
  '%s kills a process only after its attempts and its last spans may have ended',
  (_name, seconds) => {
    expect(seconds * 1_000).toBeGreaterThanOrEqual(DRAIN_TIMEOUT_MS + FLUSH_WITHIN_MS)
  },
)
