import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTracing } from '../../src/telemetry/start-tracing.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { startInstallation } from '../support/installation.ts'
import { logLine } from '../support/log-lines.ts'
import { postGraphql } from '../support/post-graphql.ts'
import { type Receiver, useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { type ReceivedSpan, startOtlpReceiver } from './support/otlp-receiver.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE}-${CALLER}-01`
const UNSAMPLED = `00-${TRACE}-${CALLER}-00`

const PRODUCER = 4
const CLIENT = 3
const ERROR = 2

/** Of the installation that started last. */
let receiver: Receiver

const collector = await useResource(startOtlpReceiver())
beforeEach(() => receiver?.clear())

async function start(environment: Record<string, string>) {
  const installation = await startInstallation({
    POSTHORN_RETRY_SCHEDULE: '',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...environment,
  })
  receiver = installation.receiver
  const { url, tenant } = installation
  const graphql = async (query: string, variables = {}, headers = {}) => {
    const { data, errors } = await postGraphql(url, tenant.token, query, variables, headers)
    expect(errors).toBeUndefined()
    return data
  }
  return {
    ...installation,
    publish: async (headers?: Record<string, string>, input = {}) =>
      await graphql(PUBLISH, { input: { type: JOINED, data: {}, ...input } }, headers),
    /** The headers of the request, as the console shows them. */
    async shownHeaders() {
      const query = '{ attempts(first: 1) { nodes { request { headers { name value } } } } }'
      const find = async () => (await graphql(query)).attempts.nodes[0]
      await until(find, 'the attempt is recorded')
      const { request } = await find()
      return Object.fromEntries(
        request.headers.map(({ name, value }: Record<string, string>) => [name, value]),
      )
    },
    register: (target: string) => createWebhook({ graphql }, target),
  }
}

const PUBLISH =
  'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'

/** Waits for the spans of a trace. */
async function spansOf(traceId: string, count: number): Promise<ReceivedSpan[]> {
  const found = () => collector.spans.filter((span) => span.traceId === traceId)
  await until(() => found().length >= count, `the collector has ${count} spans`)
  return found()
}

const withKind = (spans: ReceivedSpan[], kind: number) =>
  spans.find((span) => span.kind === kind) as ReceivedSpan

describe('with a collector', () => {
  let started: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    started = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    await started.register(`${receiver.url}/a-secret-path?token=secret`)
  })
  afterAll(async () => await started[Symbol.asyncDispose]())

  test('publishing is a child of the caller, the attempt a child of publishing, and the receiver gets the attempt', async () => {
    await started.publish({ traceparent: SAMPLED, tracestate: 'vendor=1' })
    const { headers } = await receiver.arrival(1)
    const spans = await spansOf(TRACE, 2)
    const publish = withKind(spans, PRODUCER)
    const attempt = withKind(spans, CLIENT)
    expect(publish).toMatchObject({
      parentId: CALLER,
      name: `publish ${JOINED}`,
      traceState: 'vendor=1',
      status: 0,
      attributes: {
        'messaging.system': 'posthorn',
        'messaging.operation.type': 'send',
        'messaging.destination.name': JOINED,
        'messaging.message.id': expect.stringMatching(/^evt_/),
        'posthorn.deliveries': 1,
      },
      resource: {
        'service.name': 'posthorn',
        'service.version': expect.any(String),
        'deployment.environment.name': 'test',
      },
    })
    expect(attempt).toMatchObject({
      parentId: publish.id,
      links: [{ traceId: TRACE, id: publish.id }],
      name: 'POST',
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'url.scheme': 'https',
        'server.address': new URL(receiver.url).hostname,
        'server.port': Number(new URL(receiver.url).port),
        'messaging.message.id': publish.attributes['messaging.message.id'],
        'posthorn.delivery.id': headers['wh-id'],
        'posthorn.attempt.number': 1,
      },
    })
    expect(headers['traceparent']).toBe(`00-${TRACE}-${attempt.id}-01`)
    expect(headers['tracestate']).toBe('vendor=1')
    const instance = publish.resource['service.instance.id']
    expect(instance).toMatch(/./)
    expect(attempt.resource['service.instance.id']).toBe(instance)
    expect(JSON.stringify(collector.spans)).not.toMatch(/secret/)
    expect(await started.shownHeaders()).toMatchObject({
      traceparent: headers['traceparent'],
      tracestate: 'vendor=1',
    })
  })

  test('the traceparent of an event comes before that of the request', async () => {
    const own = TRACE.replace('0a', '1b')
    await started.publish({ traceparent: SAMPLED }, { traceparent: `00-${own}-${CALLER}-01` })
    expect(withKind(await spansOf(own, 2), PRODUCER).parentId).toBe(CALLER)
  })

  test('without a caller, publishing begins the trace', async () => {
    await started.publish()
    const { headers } = await receiver.arrival(1)
    const traceId = String(headers['traceparent']).split('-')[1] as string
    const spans = await spansOf(traceId, 2)
    expect(withKind(spans, PRODUCER).parentId).toBe('')
    expect(withKind(spans, CLIENT).parentId).toBe(withKind(spans, PRODUCER).id)
  })

  test('a caller that records nothing decides so for Posthorn, and the receiver gets its trace', async () => {
    const own = TRACE.replace('0a', '2c')
    await started.publish({ traceparent: UNSAMPLED.replace(TRACE, own) })
    const { headers } = await receiver.arrival(1)
    expect(headers['traceparent']).toMatch(new RegExp(`^00-${own}-[0-9a-f]{16}-00$`))
    expect(collector.spans.filter(({ traceId }) => traceId === own)).toEqual([])
  })

  test('a failed attempt is an error with its cause', async () => {
    const own = TRACE.replace('0a', '3d')
    await started.register(`https://127.0.0.1:${await freePort()}`)
    await started.publish({ traceparent: SAMPLED.replace(TRACE, own) })
    const failed = (await spansOf(own, 3)).find(({ status }) => status === ERROR)
    expect(failed?.attributes['error.type']).toBe('connection_refused')
  })
})

test('without OTEL_ variables, the receiver gets the traceparent of the event, and that of the request has no effect', async () => {
  const own = await useReceiver()
  const posthorn = await useTestApp()
  await createWebhook(posthorn, own.url)
  const publish = async (fields: object) => {
    const variables = { input: { type: JOINED, data: {}, ...fields } }
    const headers = { traceparent: SAMPLED, tracestate: 'vendor=1' }
    const { app, tenant } = posthorn
    await postGraphql(app.url, tenant.token, PUBLISH, variables, headers)
  }
  await publish({})
  expect((await own.arrival(1)).headers).not.toHaveProperty('traceparent')
  await publish({ traceparent: SAMPLED })
  const { headers } = await own.arrival(2)
  expect(headers['traceparent']).toBe(SAMPLED)
  expect(headers).not.toHaveProperty('tracestate')
})

test('OTEL_TRACES_SAMPLER decides what is recorded, and an unreachable collector is one line in the log', async () => {
  await using started = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await started.register(receiver.url)
  await started.publish()
  expect((await receiver.arrival(1)).headers['traceparent']).toMatch(/-00$/)
  await started.publish({ traceparent: SAMPLED })
  expect((await receiver.arrival(2)).headers['traceparent']).toMatch(/-01$/)
  await logLine(started.posthorn, { msg: 'spans are not exported' }, 60_000)
})

test.each([
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'give otlp or none'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'give http/protobuf'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'give one of always_on, parentbased_always_on'],
  ['OTEL_TRACES_SAMPLER_ARG', '10', 'give a number from 0 to 1'],
])('%s=%s is rejected with the remedy', async (name, value, remedy) => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    [name]: value,
  }
  await expect(startTracing(environment, { warn() {} })).rejects.toThrow(
    `${name} is "${value}": ${remedy}`,
  )
})
