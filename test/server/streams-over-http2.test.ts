import { type ClientHttp2Session, connect } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { beforeAll, expect, test } from 'vitest'
import { listeningConnections } from '../graphql/support/live.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { needs } from '../support/left-out.ts'
import { startProxy } from '../support/proxies.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({
  environment: { POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' },
  trustedAuthorities: [receiver.authority],
})

beforeAll(() => createWebhook(posthorn, receiver.url))

const SUBSCRIPTION = 'subscription { attemptRecorded { id succeeded } }'

/** One connection of a client to the documented block of nginx, which may have another line. */
async function connectThroughNginx(line = '') {
  const changeBlock = (block: string) =>
    block.replace('  location / {', `  ${line}\n\n  location / {`)
  const proxy = await startProxy('nginx', posthorn.app.url, changeBlock)
  const session = connect(proxy.url, { ca: proxy.authority })
  return {
    session,
    async [Symbol.asyncDispose]() {
      session.destroy()
      await proxy[Symbol.asyncDispose]()
      const listening = () => listeningConnections(posthorn.database)
      await until(async () => (await listening()) === 0, 'Posthorn ends the subscriptions')
    },
  }
}

/** Sends a GraphQL request as one stream of the connection, and collects its body. */
function send(session: ClientHttp2Session, query: string, accept: string) {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/graphql',
    authorization: `Bearer ${posthorn.tenant.token}`,
    'content-type': 'application/json',
    accept,
  })
  const received = { stream, text: '', ended: false }
  stream.setEncoding('utf8').on('data', (chunk) => {
    received.text += chunk
  })
  stream
    .on('error', () => {})
    .on('close', () => {
      received.ended = true
    })
  stream.end(JSON.stringify({ query }))
  return received
}

const heartbeatsOf = ({ text }: { readonly text: string }) => text.split(':\n\n').length - 1

const subscribe = (session: ClientHttp2Session) => send(session, SUBSCRIPTION, 'text/event-stream')

async function ask(session: ClientHttp2Session, query: string): Promise<unknown> {
  const answer = send(session, query, 'application/json')
  await until(() => answer.ended, 'the query is answered')
  return JSON.parse(answer.text)
}

const publish = () =>
  posthorn.services.publishEvents(posthorn.tenant.organizationId, [{ type: JOINED, data: {} }])

test(
  'thirty subscriptions and the queries between them share one HTTP/2 connection',
  needs('nginx'),
  async () => {
    await using connection = await connectThroughNginx()
    const { session } = connection
    const streams = Array.from({ length: 30 }, () => subscribe(session))
    await until(() => streams.every((one) => heartbeatsOf(one) > 0), 'all streams begin')
    expect((session.socket as TLSSocket).alpnProtocol).toBe('h2')

    const [{ id } = { id: '' }] = await publish()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(session, `{ event(id: "${id}") { id } }`)),
    )
    expect(answers).toMatchObject(Array(10).fill({ data: { event: { id } } }))
    await until(
      () => streams.every(({ text }) => text.includes('"succeeded":true')),
      'the attempt arrives in each stream',
    )
    expect(streams.filter(({ ended }) => ended)).toEqual([])

    const [closed, ...others] = streams
    closed?.stream.close()
    await publish()
    const attempts = ({ text }: { readonly text: string }) =>
      text.split('"succeeded":true').length - 1
    await until(() => others.every((other) => attempts(other) === 2), 'the other streams go on')
  },
)

test(
  'heartbeats keep a quiet stream open beyond `proxy_read_timeout`',
  needs('nginx'),
  async () => {
    await using connection = await connectThroughNginx('proxy_read_timeout 1s;')
    const stream = subscribe(connection.session)
    // One each 300 ms in tests.
    await until(() => heartbeatsOf(stream) > 6, 'twice the timeout passes')
    expect(stream.ended).toBe(false)
    await publish()
    await until(() => stream.text.includes('"succeeded":true'), 'the event arrives')
  },
)
