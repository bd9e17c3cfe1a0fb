import { randomBytes } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Received, useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const SVIX = 'svix-'
const FIELDS = 'id headerPrefix deliveryHeaderPrefix signingSecret { key }'
const PROBLEMS = `... on UserError { code message } ... on ValidationError { issues { path code message } }`

const receiver = await useReceiver()
const posthorn = await useTestApp()
beforeEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.end()
})
afterEach(async () => {
  for (const { id } of await (await posthorn.rest('GET', '/webhooks')).json()) {
    await posthorn.rest('DELETE', `/webhooks/${id}`)
  }
})

describe('another header prefix', () => {
  test('names the headers of each attempt, and the library of the former sender verifies it', async () => {
    receiver.answer = (response) =>
      response.writeHead(receiver.received.length < 2 ? 500 : 200).end()
    const webhook = await register({ headerPrefix: SVIX })
    await publish()
    const arrivals = [await receiver.arrival(1), await receiver.arrival(2)]
    for (const arrival of arrivals) {
      expect(Object.keys(arrival.headers).filter((name) => name.startsWith('wh-'))).toEqual([])
      expect(verifySvix(webhook.signingSecret.key, arrival)).toMatchObject({ type: JOINED })
      expect(() => verifySvix(secretOf(24), arrival)).toThrow()
    }
    expect(await shownHeaders(arrivals[1]?.headers['svix-id'])).toMatchObject({
      'svix-id': arrivals[1]?.headers['svix-id'],
      'svix-timestamp': arrivals[1]?.headers['svix-timestamp'],
      'svix-signature': arrivals[1]?.headers['svix-signature'],
    })
  })

  test('also names those of a test delivery, which keeps the mark of a test, until it is null', async () => {
    const webhook = await register({ headerPrefix: SVIX })
    const input = { eventType: JOINED, data: {} }
    await posthorn.graphql(document('deliveries', 'TestDelivery'), { id: webhook.id, input })
    const arrival = await receiver.arrival(1)
    expect(arrival.headers['wh-test']).toBe('true')
    expect((await shownHeaders(arrival.headers['svix-id']))['wh-test']).toBe('true')
    expect(verifySvix(webhook.signingSecret.key, arrival)).toMatchObject({ type: JOINED })
    await update(webhook.id, { headerPrefix: null })
    await publish()
    const { headers } = await receiver.arrival(2)
    expect([headers['svix-id'], headers['wh-signature']]).toEqual([
      undefined,
      expect.stringMatching(/^v1,/),
    ])
  })

  test.each(['', 'x-', 'svix', 'SVIX-'])('is refused if it is %j', async (headerPrefix) => {
    const { issues } = await tryToRegister({ headerPrefix })
    expect(issues).toMatchObject([
      {
        path: ['headerPrefix'],
        message: expect.stringContaining('one of wh-, webhook-, svix-'),
      },
    ])
  })
})

describe('a secret of one’s own', () => {
  test('signs from the start, and is not in the audit log', async () => {
    const secret = secretOf(24)
    const { id } = await register({ secret, headerPrefix: SVIX })
    await publish()
    expect(verifySvix(secret, await receiver.arrival(1))).toMatchObject({ type: JOINED })
    const { rows } = await posthorn.database.pool.query(
      `select before, after from posthorn.audit_log where subject_id = $1`,
      [id],
    )
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length))
  })

  test('takes the place of the current one in a rotation', async () => {
    const { id } = await register({ headerPrefix: SVIX })
    const secret = secretOf(64)
    expect(await rotate(id, secret)).toMatchObject({ signingSecret: { key: secret } })
    await publish()
    expect(verifySvix(secret, await receiver.arrival(1))).toMatchObject({ type: JOINED })
  })

  test.each([
    ['without the prefix', randomBytes(32).toString('base64')],
    ['of 23 bytes', secretOf(23)],
    ['of 65 bytes', secretOf(65)],
    ['without padding', secretOf(25).replaceAll('=', '')],
    ['that is empty', ''],
  ])('%s is refused, and not repeated', async (_name, secret) => {
    const rotated = await register({})
    for (const { issues } of [await tryToRegister({ secret }), await rotate(rotated.id, secret)]) {
      expect(issues).toMatchObject([{ path: ['secret'], code: 'custom' }])
      expect(issues[0].message).toContain('24 to 64 bytes')
      if (secret !== '') expect(JSON.stringify(issues)).not.toContain(secret)
    }
  })

  test('of an upsert is that of a new webhook only', async () => {
    const [first, second] = [secretOf(32), secretOf(32)]
    const upsert = (secret: string) =>
      call(
        'upsertWebhook',
        'uid: "moved"',
        { ...NEW, secret },
        `created changed webhook { ${FIELDS} }`,
      )
    const webhook = { signingSecret: { key: first } }
    expect(await upsert(first)).toMatchObject({ created: true, webhook })
    expect(await upsert(second)).toMatchObject({ created: false, changed: false, webhook })
  })
})

function secretOf(bytes: number): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`
}

/** As the library of Svix, which reads the same three values by its own names. */
function verifySvix(secret: string, { headers, body }: Received) {
  return new StandardWebhook(secret).verify(body.toString(), {
    'webhook-id': String(headers['svix-id']),
    'webhook-timestamp': String(headers['svix-timestamp']),
    'webhook-signature': String(headers['svix-signature']),
  })
}

/** The success or the problem of a mutation of webhooks. */
async function call(name: string, args: string, input: object, found = `webhook { ${FIELDS} }`) {
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  const answer = await posthorn.graphql(
    `mutation ($input: ${type}Input!) {
      ${name}(${args} input: $input) { ${PROBLEMS} ... on ${type}Success { ${found} } }
    }`,
    { input },
  )
  return answer[name]
}

const NEW = { url: receiver.url, eventSubscriptions: [JOINED], enabled: true }
const tryToRegister = (input: object) => call('createWebhook', '', { ...NEW, ...input })
const rotate = (id: string, secret: string) =>
  call('rotateSigningSecret', `id: "${id}"`, { secret }, 'signingSecret { key }')

async function register(input: object) {
  const { webhook, ...problem } = await tryToRegister(input)
  expect(problem).toEqual({})
  return webhook
}

async function update(id: string, input: object) {
  const { webhook, ...problem } = await call('updateWebhook', `id: "${id}"`, input)
  expect(problem).toEqual({})
  return webhook
}

/** The headers of the last attempt of a delivery, as the API shows them once the delivery has succeeded. */
async function shownHeaders(
  delivery: string | string[] | undefined,
): Promise<Record<string, string>> {
  const query =
    '{ attempts(first: 1) { nodes { delivery { id } response { status } request { headers { name value } } } } }'
  const read = async () => (await posthorn.graphql(query)).attempts.nodes[0]
  await until(async () => {
    const attempt = await read()
    return attempt?.delivery?.id === delivery && attempt.response?.status === 200
  }, 'the attempt is recorded')
  const { request } = await read()
  return Object.fromEntries(
    request.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
}

async function publish(): Promise<void> {
  await posthorn.services.publishEvents(posthorn.tenant.organizationId, [
    { type: JOINED, data: { attendee: 'Grüße 🌾' } },
  ])
}
