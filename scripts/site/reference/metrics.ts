import { Registry } from 'prom-client'
import { ERROR_CODES } from '../../../src/outbound/failure-reasons.ts'
import { GAUGES, type GaugeName } from '../../../src/telemetry/counters.ts'
import { createDatabaseMetrics } from '../../../src/telemetry/database-metrics.ts'
import { createDeliveryReporter, measurePublishing } from '../../../src/telemetry/events.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { createMetrics, watchPools } from '../../../src/telemetry/metrics.ts'
import { createRequestLogger } from '../../../src/telemetry/request-log.ts'
import { code, page, prose, table } from './markdown.ts'

export interface DescribedMetric {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** All metrics of a process and of the installation, as the registries of Posthorn describe them. */
export function describeMetrics() {
  const metrics = createMetrics('all')
  const { registry } = metrics
  measurePublishing(metrics, async () => [])
  const logger = createLogger('silent')
  createDeliveryReporter(logger, metrics, ERROR_CODES)
  createRequestLogger(logger, metrics)
  watchPools(registry, {})
  for (const name of Object.keys(GAUGES) as GaugeName[]) metrics.show(name, () => 0)
  const installation = new Registry()
  createDatabaseMetrics(installation)
  return { ofProcess: described(registry), ofInstallation: described(installation) }
}

function described(registry: Registry): DescribedMetric[] {
  // The types of prom-client do not have the labels.
  const metrics = registry.getMetricsAsArray() as unknown as (Omit<DescribedMetric, 'labels'> & {
    readonly labelNames?: readonly string[]
  })[]
  return metrics.map(({ name, help, type, labelNames = [] }) => {
    return { name, help, type, labels: labelNames.filter((label) => label !== 'le') }
  })
}

export function metricsPage(): string {
  const { ofProcess, ofInstallation } = describeMetrics()
  const isOwn = ({ name }: DescribedMetric) => name.startsWith('posthorn_')
  return page(
    '# Metrics',
    '`/metrics` of each process has these metrics in the Prometheus text format. [Monitoring](../operate/monitor.md) says how to scrape them, and has the alerts and the dashboard.',
    'No label has an id, a URL or a name that a caller chooses. `role` is `all`, `api` or `worker`. `error_code` is one of the [codes of attempts](../concepts/deliveries.md).',
    '## Of a process',
    tableOf(ofProcess.filter(isOwn)),
    '## Of the whole installation',
    'Each process counts the rows of the database every 15 seconds, and has the same numbers: query these gauges with `max()`.',
    tableOf(ofInstallation),
    '## Of Node',
    'Processor time, memory, files and start of the process; event loop, heap and garbage collection of the thread of its role.',
    tableOf(ofProcess.filter((metric) => !isOwn(metric))),
  )
}

function tableOf(metrics: readonly DescribedMetric[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    ...[code(name), type],
    ...[labels.map(code).join(', '), prose(help)],
  ])
  return table(['metric', 'type', 'labels', 'meaning'], rows)
}
