import { createHmac } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { verify } from '../../src/receiver/index.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { type ForwardOptions, forward, startForwardCommand } from './support/forward-command.ts'
import { startLocalServer } from './support/local-server.ts'
import { publish, recordedAttempts, webhookIds } from './support/rows.ts'

let posthorn: TestApp

beforeAll(async () => {
  posthorn = await startTestApp()
})
afterAll(() => posthorn[Symbol.asyncDispose]())

const options = (...args: string[]): ForwardOptions => ({
  server: posthorn.app.url,
  key: posthorn.tenant.token,
  args,
})

describe('a delivery', () => {
  test('reaches the local server with the exact bytes and headers, and its signature verifies', async () => {
    await using local = await startLocalServer()
    await using command = await forward(local.url, options('--event', JOINED))
    const data = { attendee: 'Zoë', price: '10.50' }
    const { event } = await publish(posthorn, { type: JOINED, data })

    const { path, headers, rawHeaders, body } = await local.request(1)
    expect(path).toBe('/hooks?from=posthorn')
    expect(await verify(body, headers, command.secret)).toMatchObject({ ok: true })
    const { id, timestamp } = { id: headers['wh-id'], timestamp: headers['wh-timestamp'] }
    const key = Buffer.from(command.secret.slice(6), 'base64')
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
    expect(headers['wh-signature']).toBe(`v1,${hmac.digest('base64')}`)
    expect(JSON.parse(body.toString())).toMatchObject({ id: event, type: JOINED, data })
    expect(body.toString()).toContain('"attendee":"Zoë"')
    // Nothing but the headers of the connection is added.
    expect(rawHeaders.filter((_, i) => i % 2 === 0)).toEqual([
      'host',
      ...['user-agent', 'accept-encoding', 'content-type'],
      ...['wh-id', 'wh-timestamp', 'wh-signature'],
      ...['content-length', 'Connection'],
    ])
    expect(
      await verify(body, headers, `whsec_${Buffer.alloc(24).toString('base64')}`),
    ).toMatchObject({ ok: false, reason: 'no-matching-signature' })
  })

  test('is printed with its verification and the answer, and the answer is the result of the attempt', async () => {
    await using local = await startLocalServer()
    local.respond = (response) =>
      response.writeHead(202, { 'x-local': 'yes', 'content-type': 'text/plain' }).end('Thank you.')
    await using command = await forward(local.url, options('--event', JOINED))
    const { delivery } = await publish(posthorn, { type: JOINED, data: { n: 1 } })

    expect(await command.printed(1)).toMatchObject({
      ...{ verified: true, id: delivery, answered: 202, response: 'Thank you.', problem: null },
      body: { type: JOINED, data: { n: 1 } },
    })
    const [attempt] = await recordedAttempts(posthorn, delivery)
    expect(attempt).toMatchObject({
      ...{ succeeded: true, status: 202, error: null },
      response: { body: 'Thank you.', bodyTruncated: false },
    })
    expect(attempt.response.headers).toContainEqual({ name: 'x-local', value: 'yes' })
    const { durationMs } = await command.printed(1)
    expect(attempt.durationMs).toBe(durationMs)
  })

  test('is printed for people, with the secret once', async () => {
    await using local = await startLocalServer()
    const command = startForwardCommand(local.url, options('--event', JOINED, '--count', '1'))
    await until(() => command.stderr.includes('Ready.'), 'the command is ready')
    await publish(posthorn, { type: JOINED, data: {} })
    expect(await command.ended).toBe(0)
    expect(command.stdout).toMatch(
      /^\d\d:\d\d:\d\d {2}✔ verified {2}event_attendee\.joined_event\n/,
    )
    expect(command.stdout).toMatch(
      /\n {2}← answered 204 No Content by http:\/\/127\.0\.0\.1:\d+\/hooks\?from=posthorn in \d+ ms\n/,
    )
    expect((command.stdout + command.stderr).match(/whsec_/g)).toHaveLength(1)
    expect(command.stderr).toContain('Deleted the temporary webhook.')
  })

  test('with a body of 256 KiB arrives whole, and an answer of any size is kept up to 16 KiB', async () => {
    await using local = await startLocalServer()
    local.respond = (response) => response.end('y'.repeat(1_000_000))
    await using command = await forward(local.url, options('--event', JOINED))
    const text = 'x'.repeat(262_144 - 10)
    const { delivery } = await publish(posthorn, { type: JOINED, data: { x: text } })
    const { body, headers } = await local.request(1)
    expect(JSON.parse(body.toString()).data.x).toBe(text)
    expect(await verify(body, headers, command.secret)).toMatchObject({ ok: true })
    await command.printed(1)
    const [attempt] = await recordedAttempts(posthorn, delivery)
    expect(attempt.response).toMatchObject({ bodyTruncated: true, body: 'y'.repeat(16_384) })
  })

  test('of another type than those of --event does not arrive', async () => {
    await using local = await startLocalServer()
    await using command = await forward(local.url, options('--event', TICKET))
    await publish(posthorn, { type: JOINED, data: {} })
    await publish(posthorn, { type: TICKET, data: {} })
    expect(await command.printed(1)).toMatchObject({ body: { type: TICKET } })
    expect(local.requests).toHaveLength(1)
  })

  test('of every type of the catalogue arrives without --event', async () => {
    await using local = await startLocalServer()
    await using command = await forward(local.url, options())
    await publish(posthorn, { type: JOINED, data: {} })
    await publish(posthorn, { type: TICKET, data: {} })
    await command.printed(2)
    const types = local.requests.map(({ body }) => JSON.parse(body.toString()).type)
    expect(types.toSorted()).toEqual([JOINED, TICKET])
  })

  test('arrives again after a redelivery, under the same wh-id', async () => {
    await using local = await startLocalServer()
    await using command = await forward(local.url, options('--event', JOINED))
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    await command.printed(1)
    await recordedAttempts(posthorn, delivery)
    await posthorn.graphql('mutation ($id: ID!) { redeliver(id: $id) { __typename } }', {
      id: delivery,
    })
    expect(await command.printed(2)).toMatchObject({ id: delivery, arrivals: 2, verified: true })
  })
})

async function setRetries(id: string, retryScheduleSeconds: number[]): Promise<void> {
  const { updateWebhook } = await posthorn.graphql(
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
    { id, input: { retryScheduleSeconds } },
  )
  expect(updateWebhook.__typename).toBe('UpdateWebhookSuccess')
}

describe('a local server', () => {
  test('that answers 500 and then 204 gets the delivery again by the schedule', async () => {
    await using local = await startLocalServer()
    let failures = 1
    local.respond = (response) => response.writeHead(failures-- > 0 ? 500 : 204).end()
    await using command = await forward(local.url, options('--event', JOINED))
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    expect(await command.printed(1)).toMatchObject({ answered: 500 })
    expect(await command.printed(2)).toMatchObject({ answered: 204, arrivals: 2 })
    const attempts = await recordedAttempts(posthorn, delivery, 2)
    expect(attempts.map(({ status }) => status)).toEqual([500, 204])
  })

  test('that does not run makes the attempt fail as connection_refused, which is retried', async () => {
    const port = await freePort()
    await using command = await forward(
      `http://127.0.0.1:${port}/hooks`,
      options('--event', JOINED),
    )
    // The retries of the process can be over before the local server runs.
    await setRetries(command.webhookId, Array(20).fill(1))
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    expect(await command.printed(1)).toMatchObject({
      ...{ answered: null, errorCode: 'ECONNREFUSED', problem: null },
    })
    await using local = await startLocalServer(port)
    await local.request(1)
    const attempts = await recordedAttempts(posthorn, delivery)
    expect(attempts[0]).toMatchObject({
      ...{ succeeded: false, status: null, errorCode: 'connection_refused' },
      error: 'The connection was refused.',
    })
  })

  test('that does not answer in time makes the attempt fail as response_timed_out', async () => {
    await using local = await startLocalServer()
    local.respond = () => {}
    await using command = await forward(local.url, options('--event', JOINED))
    await posthorn.graphql(
      'mutation ($id: ID!) { updateWebhook(id: $id, input: { timeoutSeconds: 1, retryScheduleSeconds: [] }) { __typename } }',
      { id: command.webhookId },
    )
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    expect(await command.printed(1)).toMatchObject({ answered: null, errorCode: 'ETIMEDOUT' })
    const [attempt] = await recordedAttempts(posthorn, delivery)
    expect(attempt).toMatchObject({
      ...{ succeeded: false, status: null, errorCode: 'response_timed_out' },
      error: 'The receiver did not answer within 1 s of the request.',
    })
  })
})

test('two commands each get the deliveries of their own webhook', async () => {
  await using first = await startLocalServer()
  await using second = await startLocalServer()
  await using one = await forward(first.url, options('--event', JOINED))
  await using other = await forward(second.url, options('--event', JOINED))
  expect(one.webhookId).not.toBe(other.webhookId)
  await publish(posthorn, { type: JOINED, data: {} })
  const [{ body, headers }] = [await first.request(1), await second.request(1)]
  expect(await verify(body, headers, one.secret)).toMatchObject({ ok: true })
  expect(await verify(body, headers, other.secret)).toMatchObject({ ok: false })
  await Promise.all([one.printed(1), other.printed(1)])
  expect([first.requests.length, second.requests.length]).toEqual([1, 1])
})

describe('the end', () => {
  test('by a signal deletes the webhook and cancels what has not finished, with the reason', async () => {
    const command = await forward('http://127.0.0.1:1/', options('--event', JOINED))
    await setRetries(command.webhookId, [3_600])
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} })
    await recordedAttempts(posthorn, delivery)
    command.process.child.kill('SIGINT')
    expect(await command.process.ended).toBe(0)
    expect(await webhookIds(posthorn)).not.toContain(command.webhookId)
    await until(async () => (await stateOf(delivery)) === 'canceled', 'the delivery is canceled')
    const { rows } = await posthorn.database.pool.query(
      `select last_error from posthorn.deliveries where posthorn.type_id('msg', id) = $1`,
      [delivery],
    )
    expect(rows).toEqual([
      { last_error: 'Canceled, because `posthorn listen --forward` has ended.' },
    ])
  })

  test('by --count comes after that many deliveries', async () => {
    await using local = await startLocalServer()
    const command = await forward(local.url, options('--event', JOINED, '--count', '2'))
    for (const n of [1, 2, 3]) await publish(posthorn, { type: JOINED, data: { n } })
    expect(await command.process.ended).toBe(0)
    expect(command.process.stdout.trim().split('\n')).toHaveLength(2)
  })

  test('is as usual if somebody deleted the webhook', async () => {
    await using command = await forward('http://127.0.0.1:1/', options('--event', JOINED))
    await posthorn.rest('DELETE', `/webhooks/${command.webhookId}`)
    command.process.child.kill('SIGINT')
    expect(await command.process.ended).toBe(0)
  })
})

async function stateOf(delivery: string): Promise<string> {
  const { rows } = await posthorn.database.pool.query(
    `select state from posthorn.deliveries where posthorn.type_id('msg', id) = $1`,
    [delivery],
  )
  return rows[0]?.state
}

describe('--save and --replay', () => {
  test('--save writes files that posthorn verify accepts, and whose bytes are those of the delivery', async () => {
    await using local = await startLocalServer()
    const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-save-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await using command = await forward(local.url, options('--event', JOINED, '--save', folder))
    const { delivery } = await publish(posthorn, { type: JOINED, data: { attendee: 'Zoë' } })
    await command.printed(1)
    const { body, headers } = await local.request(1)
    const [headersFile = '', bodyFile = ''] = (await readdir(folder)).toSorted()
    expect(bodyFile).toBe(`${delivery}-${headers['wh-timestamp']}.json`)
    expect(await readFile(path.join(folder, bodyFile))).toEqual(body)

    const verified = await runPosthorn([
      ...['verify', '--secret', command.secret],
      ...['--headers', path.join(folder, headersFile), path.join(folder, bodyFile)],
    ])
    expect(verified).toMatchObject({ code: 0, stdout: `authentic: ${delivery}\n` })
    const other = `whsec_${Buffer.alloc(24).toString('base64')}`
    const rejected = await runPosthorn([
      ...['verify', '--secret', other],
      ...['--headers', path.join(folder, headersFile), path.join(folder, bodyFile)],
    ])
    expect(rejected).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected') })
  })

  test('--replay sends the exact request of a stored delivery again, newly signed, and records no attempt', async () => {
    await using local = await startLocalServer()
    const { webhookId, secret, delivery } = await deliveredToEndpoint({ 'X-Tenant': 'acme' })
    const replayed = startForwardCommand(local.url, options('--replay', delivery, '--json'))
    expect(await replayed.ended).toBe(0)
    const { body, headers, rawHeaders } = await local.request(1)
    expect(headers).toMatchObject({ 'wh-id': delivery, 'x-tenant': 'acme' })
    expect(rawHeaders).toContain('X-Tenant')
    expect(await verify(body, headers, secret)).toMatchObject({ ok: true })
    const [attempt, ...others] = await recordedAttempts(posthorn, delivery)
    expect(others).toEqual([])
    expect(body.toString()).toBe(attempt.request.body)
    expect(JSON.parse(replayed.stdout)).toMatchObject({ verified: true, answered: 204 })
    expect(await webhookIds(posthorn)).toContain(webhookId)
  })

  test('--replay ends with 1 if the local server does not answer 2xx, and names what is wrong with the id', async () => {
    await using local = await startLocalServer()
    local.respond = (response) => response.writeHead(400).end()
    const { delivery } = await deliveredToEndpoint({})
    const replayed = startForwardCommand(local.url, options('--replay', delivery))
    expect(await replayed.ended).toBe(1)
    expect(replayed.stdout).toContain('← answered 400 Bad Request')
    const unknown = startForwardCommand(
      local.url,
      options('--replay', 'msg_01m80k6v00e5b83nf53p8cy5x7'),
    )
    expect(await unknown.ended).toBe(1)
    expect(unknown.stderr).toBe('error: There is no delivery "msg_01m80k6v00e5b83nf53p8cy5x7".\n')
  })
})

/** A delivery of a webhook that failed, because nothing listens at its URL. */
async function deliveredToEndpoint(headers: Record<string, string>) {
  const created = await posthorn.rest('POST', '/webhooks', {
    ...{ url: `https://127.0.0.1:${await freePort()}/`, event_subscriptions: [TICKET] },
    ...{ enabled: true, headers },
  })
  const { id: webhookId } = (await created.json()) as { id: string }
  onTestFinished(() => void posthorn.rest('DELETE', `/webhooks/${webhookId}`))
  await setRetries(webhookId, [])
  const { key: secret } = (await (
    await posthorn.rest('GET', `/webhooks/${webhookId}/secret`)
  ).json()) as { key: string }
  const { delivery } = await publish(posthorn, { type: TICKET, data: { ticket: 9001 } }, webhookId)
  await recordedAttempts(posthorn, delivery)
  return { webhookId, secret, delivery }
}

describe('errors', () => {
  test.each([
    [['--register'], "option '--forward <url>' cannot be used with option '--register'"],
    [['--status', '500'], "option '--forward <url>' cannot be used with option '--status <code>'"],
    [['--secret', 'whsec_AAAA'], '--secret has no use with --forward'],
    [['--replay', 'msg_x', '--count', '1'], 'cannot be used with option'],
    [['--event', 'event_attendee.joined_evnt'], 'event_attendee.joined_evnt'],
  ])('%j is refused with its reason', async (args, message) => {
    const command = startForwardCommand('http://127.0.0.1:1/', options(...args))
    expect(await command.ended).toBe(1)
    expect(command.stderr).toContain(message)
  })

  test.each(['localhost:3000', 'ftp://localhost/', '3000'])(
    'the URL %s is refused',
    async (url) => {
      const command = startForwardCommand(url, options())
      expect(await command.ended).toBe(1)
      expect(command.stderr).toContain('Give an http:// or https:// URL.')
    },
  )

  test('a key without the scopes is refused with the scopes it needs', async () => {
    const { token } = await createTenant(posthorn.database.prisma, ['webhooks:read'])
    const command = startForwardCommand('http://127.0.0.1:1/', { ...options(), key: token })
    expect(await command.ended).toBe(1)
    expect(command.stderr).toContain(
      '--forward needs a key with the scopes webhooks:read, webhooks:write and secrets:read.',
    )
  })

  test('a key without secrets:read leaves no webhook behind', async () => {
    const tenant = await createTenant(posthorn.database.prisma, ['webhooks:read', 'webhooks:write'])
    const command = startForwardCommand('http://127.0.0.1:1/', { ...options(), key: tenant.token })
    expect(await command.ended).toBe(1)
    expect(command.stderr).toContain('lacks the scope secrets:read')
    const where = { organizationId: tenant.organizationId, deletedAt: null }
    expect(await posthorn.database.prisma.webhook.count({ where })).toBe(0)
  })

  test('a server that does not run is named', async () => {
    const server = `http://127.0.0.1:${await freePort()}`
    const command = startForwardCommand('http://127.0.0.1:1/', { ...options(), server })
    expect(await command.ended).toBe(1)
    expect(command.stderr).toContain(`Nothing listens at ${server}.`)
  })
})
