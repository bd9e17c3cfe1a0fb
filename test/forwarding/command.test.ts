import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { runCommand } from '../cli/run-command.ts'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { startLocalReceiver, useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type ForwardOptions, forward, startForwardCommand } from './support/forward-command.ts'

const posthorn = await useTestApp()

const OTHER_SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`

const options = (...args: string[]): ForwardOptions => ({
  server: posthorn.app.url,
  key: posthorn.tenant.token,
  args,
})

async function publish(type: string, data: unknown): Promise<string> {
  const { organizationId } = posthorn.tenant
  const [event] = await posthorn.services.publishEvents(organizationId, [{ type, data }])
  return event?.id as string
}

describe('an event', () => {
  test('reaches the local server with the bytes and headers of a delivery, and its signature verifies', async () => {
    await using local = await startLocalReceiver()
    const url = `${local.url}hooks?from=posthorn`
    await using command = await forward(url, options('--event', JOINED))
    const data = { attendee: 'Zoë', price: '10.50' }
    const event = await publish(JOINED, data)

    const { path, headers, body } = await local.arrival(1)
    expect(path).toBe('/hooks?from=posthorn')
    expect(await verify(body, headers, command.secret)).toMatchObject({ ok: true })
    expect(headers['wh-id']).toBe(event)
    const published = await posthorn.graphql('query ($id: ID!) { event(id: $id) { body } }', {
      id: event,
    })
    expect(body.toString()).toBe(published.event.body)
    expect(JSON.parse(body.toString())).toMatchObject({ id: event, type: JOINED, data })
    // Nothing but the headers of the connection is added.
    expect(Object.keys(headers).toSorted()).toEqual([
      ...['connection', 'content-length', 'content-type', 'host', 'user-agent'],
      ...['wh-id', 'wh-signature', 'wh-timestamp'],
    ])
    const reason = 'no-matching-signature'
    expect(await verify(body, headers, OTHER_SECRET)).toMatchObject({ reason })
  })

  test('that is published after the command is printed with its verification and the answer, also one of 500', async () => {
    await publish(JOINED, { n: 0 })
    await using local = await startLocalReceiver()
    const statuses = [202, 500]
    local.answer = (response) => response.writeHead(statuses.shift() ?? 204).end('Thank you.')
    await using command = await forward(local.url, options('--event', JOINED))
    for (const n of [1, 2, 3]) await publish(JOINED, { n })
    expect(await command.printed(1)).toMatchObject({
      ...{ verified: true, answered: 202, response: 'Thank you.' },
      body: { type: JOINED, data: { n: 1 } },
    })
    expect(await command.printed(2)).toMatchObject({ answered: 500, body: { data: { n: 2 } } })
    expect(await command.printed(3)).toMatchObject({ answered: 204, body: { data: { n: 3 } } })
  })

  test('is signed with --secret, which is not printed, and printed for people, up to --count', async () => {
    await using local = await startLocalReceiver()
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const args = options('--event', JOINED, '--count', '2', '--secret', secret)
    const command = startForwardCommand(local.url, args)
    await until(() => command.stderr.includes('Ready.'), 'the command is ready')
    for (const n of [1, 2, 3]) await publish(JOINED, { n })
    expect(await command.ended).toBe(0)
    expect(command.stdout.match(/✔ verified/g)).toHaveLength(2)
    const { body, headers } = await local.arrival(1)
    expect(await verify(body, headers, secret)).toMatchObject({ ok: true })
    expect(command.stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}✔ verified {2}event_attendee\.joined_event\n/,
    )
    expect(command.stdout).toMatch(
      /\n {2}← answered 200 OK by http:\/\/127\.0\.0\.1:\d+\/ in \d+ ms\n/,
    )
    expect(command.stdout + command.stderr).not.toContain('whsec_')
  })

  test('--event selects the types that arrive, with a body of 256 KiB too; without it, every type arrives', async () => {
    await using local = await startLocalReceiver()
    const types = () => local.received.map(({ body }) => JSON.parse(body.toString()).type)
    const data = { x: 'x'.repeat(262_144 - 10) }
    const publishBoth = async () => {
      for (const type of [JOINED, TICKET]) await publish(type, data)
    }
    {
      await using command = await forward(local.url, options('--event', TICKET))
      await publishBoth()
      await command.printed(1)
      expect(types()).toEqual([TICKET])
    }
    await using command = await forward(local.url, options())
    await publishBoth()
    await command.printed(2)
    expect(types()).toEqual([TICKET, JOINED, TICKET])
  })
})

describe('a local server', () => {
  test('over HTTPS with a certificate of its own gets deliveries with --insecure only, and the advice names it', async () => {
    const local = await useReceiver()
    const args = options('--event', JOINED, '--count', '1')
    const careful = startForwardCommand(local.url, args)
    await until(() => careful.stderr.includes('Ready.'), 'the command is ready')
    await publish(JOINED, { n: 1 })
    expect(await careful.ended).toBe(0)
    expect(careful.stdout).toMatch(
      /no answer from .*UNABLE_TO_VERIFY.*NODE_EXTRA_CA_CERTS, .* --insecure\./,
    )
    expect(local.received).toEqual([])
    await using command = await forward(local.url, options('--event', JOINED, '--insecure'))
    await publish(JOINED, { n: 2 })
    expect(await command.printed(1)).toMatchObject({ verified: true, answered: 200 })
  })

  test('is reached by a name below localhost', async () => {
    await using local = await startLocalReceiver()
    const url = local.url.replace('127.0.0.1', 'shop.localhost')
    await using command = await forward(url, options('--event', JOINED))
    await publish(JOINED, { n: 1 })
    expect(await command.printed(1)).toMatchObject({ answered: 200 })
    expect((await local.arrival(1)).headers['host']).toBe(new URL(url).host)
  })
})

test('a local server that does not run is named, and the next event is sent', async () => {
  const port = await freePort()
  await using command = await forward(`http://127.0.0.1:${port}/`, options('--event', JOINED))
  await publish(JOINED, { n: 1 })
  expect(await command.printed(1)).toMatchObject({ answered: null, errorCode: 'ECONNREFUSED' })
  await using local = await startLocalReceiver(port)
  await publish(JOINED, { n: 2 })
  expect(JSON.parse((await local.arrival(1)).body.toString())).toMatchObject({ data: { n: 2 } })
})

test('a server that was away gets the next pull, and no event is lost', async () => {
  await using local = await startLocalReceiver()
  await using proxy = await startTcpProxy(posthorn.app.url)
  const server = new URL(proxy.url).origin
  await using command = await forward(local.url, { ...options('--event', JOINED), server })
  proxy.disconnect()
  await until(() => command.process.stderr.includes('Trying again.'), 'the command notices')
  await publish(JOINED, { n: 'meanwhile' })
  proxy.connect()
  // A pull that Posthorn still answered has a lease of 20 s.
  await until(() => local.received.length > 0, 'the event arrives', 60_000)
  expect(await command.printed(1)).toMatchObject({ body: { data: { n: 'meanwhile' } } })
  expect(command.process.stderr).toContain('Connected again.')
})

test('a signal ends the command, and deletes its consumer', async () => {
  const consumers = async () =>
    JSON.stringify(await posthorn.graphql('{ consumers(first: 100) { nodes { name } } }'))
  const command = await forward('http://127.0.0.1:1/', options('--event', JOINED))
  const [, name] = / as (listen-\w+)\.$/m.exec(command.process.stderr) ?? []
  expect(await consumers()).toContain(`"${name}"`)
  command.process.kill('SIGINT')
  expect(await command.process.ended).toBe(0)
  expect(await consumers()).not.toContain(`"${name}"`)
})

describe('--save and --replay', () => {
  test('--save writes files that posthorn verify accepts, and whose bytes are those of the delivery', async () => {
    await using local = await startLocalReceiver()
    const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-save-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const count = ['--count', '1']
    const command = await forward(local.url, options('--event', JOINED, '--save', folder, ...count))
    const event = await publish(JOINED, { attendee: 'Zoë' })
    expect(await command.process.ended).toBe(0)
    const { body, headers } = await local.arrival(1)
    const [headersFile = '', bodyFile = ''] = (await readdir(folder)).toSorted()
    expect(bodyFile).toBe(`${event}-${headers['wh-timestamp']}.json`)
    expect(await readFile(path.join(folder, bodyFile))).toEqual(body)

    const files = ['--headers', path.join(folder, headersFile), path.join(folder, bodyFile)]
    const verified = await runCommand(['verify', '--secret', command.secret, ...files], {})
    expect(verified).toMatchObject({ code: 0, stdout: `authentic: ${event}\n` })
    const rejected = await runCommand(['verify', '--secret', OTHER_SECRET, ...files], {})
    expect(rejected).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected') })
  })

  test('--replay sends a stored delivery or event again, newly signed, records no attempt, and ends with 1 unless the answer is 2xx', async () => {
    await using local = await startLocalReceiver()
    await createWebhook(posthorn, `https://127.0.0.1:${await freePort()}/`, {
      ...{ eventSubscriptions: [TICKET], retryScheduleSeconds: [] },
    })
    const event = await publish(TICKET, { n: 1 })
    const readDelivery = async () => {
      const query = `query ($id: ID!) { event(id: $id) { deliveries(first: 1) {
        nodes { id attempts { nodes { request { body } } } } } } }`
      return (await posthorn.graphql(query, { id: event })).event.deliveries.nodes[0]
    }
    await until(async () => (await readDelivery()).attempts.nodes.length > 0, 'an attempt')
    const { id: delivery, attempts } = await readDelivery()
    for (const [number, id] of [delivery, event].entries()) {
      const replayed = startForwardCommand(local.url, options('--replay', id, '--json'))
      expect(await replayed.ended, replayed.stderr).toBe(0)
      const { body, headers } = await local.arrival(number + 1)
      expect(body.toString()).toBe(attempts.nodes[0].request.body)
      expect(headers).toMatchObject({ 'wh-id': id })
      const [, secret = ''] = /WEBHOOK_SECRET=(whsec_\S+)$/m.exec(replayed.stderr) ?? []
      expect(await verify(body, headers, secret)).toMatchObject({ ok: true })
      expect(JSON.parse(replayed.stdout)).toMatchObject({ verified: true, answered: 200 })
    }
    expect((await readDelivery()).attempts.nodes).toHaveLength(1)

    local.answer = (response) => response.writeHead(400).end()
    const refused = startForwardCommand(local.url, options('--replay', delivery))
    expect(await refused.ended).toBe(1)
    expect(refused.stdout).toContain('← answered 400 Bad Request')
    for (const id of ['msg_01m80k6v00e5b83nf53p8cy5x7', 'evt_01m80k6v00e5b83nf53p8cy5x7']) {
      const unknown = startForwardCommand(local.url, options('--replay', id))
      expect(await unknown.ended).toBe(1)
      expect(unknown.stderr).toContain(`error: ${id} is unknown`)
    }
  })
})

test('a key without the scope is refused with the scope it needs', async () => {
  const { token } = await createTenant(posthorn.database.prisma, ['webhooks:read'])
  const command = startForwardCommand('http://127.0.0.1:1/', { ...options(), key: token })
  expect(await command.ended).toBe(1)
  expect(command.stderr).toContain('error: The API key lacks the scope events:read.')
})
