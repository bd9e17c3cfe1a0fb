import { setTimeout as sleep } from 'node:timers/promises'
import { diag } from '@opentelemetry/api'
import type { Logger } from './logger.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The end of the process, and the supervision, wait for the end of the thread. */
export const FLUSH_WITHIN_MS = 3_000

/**
 * Loads the OpenTelemetry SDK and exports spans, if the standard variables `OTEL_*` ask for it. Throws an error with the
 * remedy for a value that Posthorn does not support. Disposal exports the remaining spans.
 */
export async function startTracing(
  environment: Environment,
  logger: Pick<Logger, 'warn'>,
): Promise<AsyncDisposable | null> {
  if (!isAsked(environment)) return null
  requireSupported(environment)
  const { openTracerProvider } = await import('./tracing-sdk.ts')
  reportProblems(logger)
  const provider = openTracerProvider(environment)
  return {
    async [Symbol.asyncDispose]() {
      await Promise.race([
        provider.shutdown().catch(() => {}),
        sleep(FLUSH_WITHIN_MS, undefined, { ref: false }),
      ])
    },
  }
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function isAsked(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  const exporter = environment['OTEL_TRACES_EXPORTER']
  if (exporter) return exporter !== 'none'
  return Boolean(
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  )
}

function requireSupported(environment: Environment): void {
  const exporter = environment['OTEL_TRACES_EXPORTER']
  if (exporter && exporter !== 'otlp') {
    throw new Error(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}: give otlp or none.`)
  }
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const protocol = environment[name]
    if (protocol && protocol !== 'http/protobuf') {
      throw new Error(
        `${name} is ${JSON.stringify(protocol)}: give http/protobuf, and the endpoint of your collector for OTLP over HTTP, usually on port 4318.`,
      )
    }
  }
}

const REPORT_EVERY_MS = 60_000

/** A collector that is unreachable would give a line every five seconds. */
function reportProblems(logger: Pick<Logger, 'warn'>): void {
  let lastAtMs = Number.NEGATIVE_INFINITY
  const report = (problem: string) => {
    if (performance.now() - lastAtMs < REPORT_EVERY_MS) return
    lastAtMs = performance.now()
    logger.warn({ problem: problem.slice(0, 500) }, 'spans are not exported')
  }
  const ignore = () => {}
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore })
}
