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
export function describeMetrics(): {
  ofProcess: DescribedMetric[]
  ofInstallation: DescribedMetric[]
} {
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
  return registry.getMetricsAsArray().map((metric) => {
    // The types of prom-client do not have the labels.
    const {
      name,
      help,
      type,
      labelNames = [],
    } = metric as unknown as Omit<DescribedMetric, 'labels'> & {
      readonly labelNames?: readonly string[]
    }
    const labels = labelNames.filter((label) => label !== 'le')
    return { name, help, type, labels }
  })
}

export function metricsPage(): string {
  const { ofProcess, ofInstallation } = describeMetrics()
  const own = ofProcess.filter(({ name }) => name.startsWith('posthorn_'))
  const others = ofProcess.filter(({ name }) => !name.startsWith('posthorn_'))
  return page(
    '# Metrics',
    '`/metrics` of each process has these metrics in the Prometheus text format. [Monitoring](../operate/monitor.md) says how to scrape them, and has the alerts and the dashboard.',
    'Counters and histograms count since the process started, and are there with the value 0 from the start, but for those of a route, which its first request adds. No label has an id, a URL or anything else that a caller chooses. `role` is `all`, `api` or `worker`. `error_code` is one of the [codes of attempts](../concepts/deliveries.md#codes).',
    '## Of a process',
    tableOf(own),
    '## Of the whole installation',
    'Each process counts what is in the database, every 15 seconds, and has the same numbers, so query these gauges with `max()`. The clock is that of the process.',
    tableOf(ofInstallation),
    '## Of Node',
    'The process: processor time, memory, files, start time. And the thread of its role: event loop lag (sampled every 100 ms, which is its value at rest), heap, garbage collection.',
    tableOf(others),
  )
}

function tableOf(metrics: readonly DescribedMetric[]): string {
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    metrics.map(({ name, type, labels, help }) => [
      code(name),
      type,
      labels.map(code).join(', '),
      prose(help),
    ]),
  )
}
