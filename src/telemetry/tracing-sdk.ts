import { trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { VERSION } from '../lib/version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Registers the SDK for this thread. The exporter reads `OTEL_EXPORTER_OTLP_*` itself. */
export function openTracerProvider(environment: Environment): TracerProvider {
  const fromEnvironment = detectResources({
    detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
  })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'posthorn', 'service.version': VERSION }))
      .merge(fromEnvironment),
    sampler: samplerOf(environment),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batchOptions(environment) }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  return provider
}

const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
}

const PARENT_BASED = /^parentbased_/

function samplerOf(environment: Environment): Sampler {
  const name = environment['OTEL_TRACES_SAMPLER'] || 'parentbased_always_on'
  const create = SAMPLERS[name.replace(PARENT_BASED, '')]
  if (!create) {
    const names = Object.keys(SAMPLERS).flatMap((one) => [one, `parentbased_${one}`])
    throw new Error(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}: give one of ${names.join(', ')}.`,
    )
  }
  const sampler = create(ratioOf(environment['OTEL_TRACES_SAMPLER_ARG'] || '1'))
  return PARENT_BASED.test(name) ? new ParentBasedSampler({ root: sampler }) : sampler
}

function ratioOf(text: string): number {
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new Error(
    `OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(text)}: give a number from 0 to 1, such as 0.1.`,
  )
}

function batchOptions(environment: Environment) {
  const numbers = {
    scheduledDelayMillis: environment['OTEL_BSP_SCHEDULE_DELAY'],
    exportTimeoutMillis: environment['OTEL_BSP_EXPORT_TIMEOUT'],
    maxQueueSize: environment['OTEL_BSP_MAX_QUEUE_SIZE'],
    maxExportBatchSize: environment['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'],
  }
  const given = Object.entries(numbers).filter(([, text]) => /^\d+$/.test(text ?? ''))
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)]))
}
