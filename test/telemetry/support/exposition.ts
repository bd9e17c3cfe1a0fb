import { until } from '../../support/until.ts'

type Metrics = ReturnType<typeof parseExposition>

/** The metrics of the Prometheus text format, by their names. */
function parseExposition(text: string) {
  const metrics = text.split(/^(?=# HELP )/m).flatMap((block) => {
    const [, name = ''] = /^# HELP (\S+) /m.exec(block) ?? []
    const [, type = ''] = /^# TYPE \S+ (\S+)$/m.exec(block) ?? []
    const samples = [...block.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, sample = '', labels = '', value]) => ({
        // That of the metric, or for a histogram with `_bucket`, `_sum` or `_count`.
        name: sample,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]),
        ),
        value: Number(value),
      }),
    )
    return name === '' ? [] : [{ name, type, samples }]
  })
  return new Map(metrics.map((metric) => [metric.name, metric]))
}

export async function scrape(url: string): Promise<Metrics> {
  const response = await fetch(new URL('/metrics', url))
  if (!response.ok) throw new Error(`/metrics answered ${response.status}.`)
  return parseExposition(await response.text())
}

/** The sum of the samples with these labels; null if there is none. */
export function sumOf(
  metrics: Metrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''))
  const found = (metric?.samples ?? []).filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0)
}

/** Scrapes until the condition is true. */
export async function scrapeUntil(
  url: string,
  condition: (metrics: Metrics) => boolean,
  description: string,
): Promise<Metrics> {
  let metrics = await scrape(url)
  await until(async () => {
    metrics = await scrape(url)
    return condition(metrics)
  }, description)
  return metrics
}
