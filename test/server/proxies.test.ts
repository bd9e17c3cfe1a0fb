import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { Agent, fetch, type RequestInit } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/graphql/handler.ts'
import { words } from '../outbound/address-blocks.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { needs } from '../support/left-out.ts'
import { type ProxyName, type ReverseProxy, startProxy } from '../support/proxies.ts'
import { until } from '../support/until.ts'

const environment = { POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' }
const posthorn = await useTestApp({ environment })

const CLIENT_ADDRESS = '127.0.0.2'

/** What a proxy or a server may take for a path of operators. */
const OTHER_SPELLINGS = words(`
  /metrics/ /metrics/. /metrics// /metrics/?x /metric%73 /metric%73/ /metrics%2f //metrics
  /./metrics /console/../metrics /console/../metrics/ /console/%2e%2e/metrics /METRICS /readyz/
  /%72eadyz /healthz/ /healthz/../readyz`)

test.each(OTHER_SPELLINGS)(
  'Posthorn itself has no metrics, readiness or health at %s',
  async (path) => {
    const { origin } = new URL(posthorn.app.url)
    const client = new Agent()
    const { body } = await client.request({ origin, path, method: 'GET' })
    expect(await body.text()).not.toMatch(/^# HELP|"status":"(ok|unavailable)"/)
    await client.destroy()
  },
)

describe.each<ProxyName>(['nginx', 'caddy'])('behind %s', (name) => {
  describe('with its documented block', needs(name), () => {
    let proxy: ReverseProxy
    let client: Agent

    beforeAll(async () => {
      proxy = await startProxy(name, posthorn.app.url)
      client = new Agent({
        ...{ allowH2: true, localAddress: CLIENT_ADDRESS },
        connect: { ca: proxy.authority },
      })
    })
    afterAll(async () => {
      await client?.destroy()
      await proxy?.[Symbol.asyncDispose]()
    })

    const call = (path: string, init: RequestInit = {}) =>
      fetch(proxy.url + path, { dispatcher: client, ...init })

    test('the response of a subscription starts at once, and its first event arrives', async () => {
      await expectFirstEvent(proxy, client)
    })

    test('clients can speak HTTP/2, in which streams and queries share a connection', async () => {
      const socket = await open(proxy, ['h2'])
      expect(socket.alpnProtocol).toBe('h2')
      socket.destroy()
    })

    test('the largest bodies and headers reach Posthorn, and larger bodies are rejected', async () => {
      const largest = JSON.stringify({ query: '{ __typename }' }).padEnd(MAX_BODY_BYTES)
      const post = (body: string) =>
        call('/graphql', {
          method: 'POST',
          headers: { ...headers(), 'x-padding': 'x'.repeat(30_000) },
          body,
        })
      const response = await post(largest)
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { data: { __typename: 'Query' } },
      ])
      expect((await post(`${largest} `)).status).toBe(413)
    })

    test('a browser can sign in, and the audit log has the address of the client', async () => {
      const response = await call('/console/session', {
        method: 'POST',
        headers: {
          origin: proxy.url,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ token: posthorn.tenant.token }),
      })
      expect(response.status).toBe(204)
      const { rows } = await posthorn.database.pool.query(
        `select address from posthorn.audit_log order by id desc limit 1`,
      )
      expect(rows).toEqual([{ address: CLIENT_ADDRESS }])
    })

    test.each(['/healthz', '/readyz', '/metrics'])('%s is closed', async (path) => {
      expect((await call(path)).status).toBe(404)
      expect((await fetch(posthorn.app.url + path)).status).toBe(200)
    })

    test('a body with two transfer encodings is refused, and no request in it is answered', async () => {
      const answers = await sendRaw(proxy, [
        'POST /graphql HTTP/1.1',
        'host: localhost',
        'transfer-encoding: identity',
        'transfer-encoding: chunked',
        '',
        '0',
        '',
        'GET /metrics HTTP/1.1',
        'host: localhost',
        '',
        '',
      ])
      expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual([expect.stringMatching(/ (400|501)$/)])
    })
  })
})

test(
  'behind nginx with `proxy_pass` only, a subscription streams, too',
  needs('nginx'),
  async () => {
    // So nginx speaks HTTP/1.0 to Posthorn, and buffers each response until it ends or fills a buffer.
    const defaults = (block: string) =>
      block.replaceAll(/^ *proxy_(http_version|set_header) .*\n/gm, '')
    await using proxy = await startProxy('nginx', posthorn.app.url, defaults)
    const client = new Agent({ connect: { ca: proxy.authority } })
    await expectFirstEvent(proxy, client)
    await client.destroy()
  },
)

async function expectFirstEvent({ url }: ReverseProxy, dispatcher: Agent): Promise<void> {
  const closed = new AbortController()
  const response = await fetch(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: { ...headers(), accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { attemptRecorded { errorCode } }' }),
    signal: closed.signal,
  })
  let received = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) received += Buffer.from(chunk)
  })()
  // To an address that nobody listens at.
  await createWebhook(posthorn, `https://127.0.0.1:${await freePort()}/`)
  const { services, tenant } = posthorn
  await services.publishEvents(tenant.organizationId, [{ type: JOINED, data: {} }])
  await until(() => received.includes('"attemptRecorded":{'), 'the first event arrives')
  closed.abort()
  await expect(reading).rejects.toThrow('aborted')
}

/** What arrives until the proxy closes the connection. */
async function sendRaw(proxy: ReverseProxy, lines: string[]): Promise<string> {
  const socket = await open(proxy)
  socket.write(lines.join('\r\n'))
  return await text(socket)
}

async function open({ url, authority }: ReverseProxy, protocols: string[] = []) {
  const { hostname, port } = new URL(url)
  const at = { host: hostname, servername: hostname, port: Number(port) }
  const socket = connect({ ...at, ca: authority, ALPNProtocols: protocols })
  await once(socket, 'secureConnect')
  return socket
}

const headers = () => ({
  authorization: `Bearer ${posthorn.tenant.token}`,
  'content-type': 'application/json',
})
