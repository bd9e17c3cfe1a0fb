import { createHmac, randomBytes } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readContents } from '../../src/transfer/read-contents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const SVIX = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' }
const STRIPE = {
  header: 'Stripe-Signature',
  content: '{timestamp}.{body}',
  value: 't={timestamp},v1={signature}',
  secret: 'whsec_ofStripe',
}
const GITHUB = {
  header: 'X-Hub-Signature-256',
  content: '{body}',
  value: 'sha256={signature}',
  secret: "It's a Secret to Everybody",
}
const FIELDS = `id secondSignature { header algorithm encoding content value }
  signatureHeaders { id timestamp signature } signsWithPreviousSecret signingSecret { key }`
const PROBLEMS = `... on UserError { code message } ... on ValidationError { issues { path code message } }`

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.end()
})
afterEach(async () => {
  for (const { id } of await (await posthorn.rest('GET', '/webhooks')).json()) {
    await posthorn.rest('DELETE', `/webhooks/${id}`)
  }
})

describe('other names of the three headers', () => {
  test('are those of each attempt, and the library of the former sender verifies it', async () => {
    receiver.answer = (response) =>
      response.writeHead(receiver.received.length < 2 ? 500 : 200).end()
    const webhook = await register({ signatureHeaders: SVIX })
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

  test('end with null: deliveries have the usual names again', async () => {
    const { id } = await register({ signatureHeaders: SVIX })
    await update(id, { signatureHeaders: null })
    await publish()
    const { headers } = await receiver.arrival(1)
    expect(headers['svix-id']).toBeUndefined()
    expect(headers['wh-signature']).toMatch(/^v1,/)
  })

  test('also sign a test delivery, which keeps the mark of a test', async () => {
    const webhook = await register({ signatureHeaders: SVIX, enabled: false })
    await posthorn.graphql(
      `mutation ($id: ID!, $type: String!) {
        testDelivery(id: $id, input: { eventType: $type, data: {} }) { __typename }
      }`,
      { id: webhook.id, type: JOINED },
    )
    const arrival = await receiver.arrival(1)
    expect(arrival.headers['wh-test']).toBe('true')
    expect(verifySvix(webhook.signingSecret.key, arrival)).toMatchObject({ type: JOINED })
  })

  test.each([
    [{ id: 'svix id' }, 'invalid_format', /letters, digits/],
    [{ id: 'a'.repeat(129) }, 'too_big', /at most 128/],
    [{ id: '' }, 'invalid_format', /letters, digits/],
    [{ id: 'Host' }, 'reserved_header', /another name/],
    [{ id: 'content-type' }, 'reserved_header', /another name/],
    [{ id: 'traceparent' }, 'reserved_header', /another name/],
    [{ id: 'wh-test' }, 'reserved_header', /another name/],
    [{ timestamp: 'SVIX-ID' }, 'duplicate_header', /another signature header/],
    [{ signature: 'X-Team' }, 'duplicate_header', /custom header/],
  ])('are refused if they are %j', async (names, code, message) => {
    const [field] = Object.keys(names)
    const input = {
      signatureHeaders: { ...SVIX, ...names },
      headers: [{ name: 'x-team', value: 'one' }],
    }
    const { issues } = await tryToRegister(input)
    expect(issues).toMatchObject([{ path: ['signatureHeaders', field], code }])
    expect(issues[0].message).toMatch(message)
  })

  test('are refused for a custom header that comes later, too', async () => {
    const { id } = await register({ signatureHeaders: SVIX })
    const { issues } = await tryToUpdate(id, { headers: [{ name: 'Svix-Id', value: 'mine' }] })
    expect(issues).toMatchObject([{ path: ['headers', 'Svix-Id'], code: 'duplicate_header' }])
    expect(await tryToUpdate(id, { headers: [{ name: 'Svix-Ip', value: 'mine' }] })).toMatchObject({
      webhook: { id },
    })
  })
})

describe('a second signature', () => {
  test('as of Stripe is beside the first one', async () => {
    await register({ secondSignature: STRIPE })
    await publish()
    const { headers, body } = await receiver.arrival(1)
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['stripe-signature'])) ?? []
    expect(t).toBe(headers['wh-timestamp'])
    expect(v1).toBe(hmac('sha256', 'whsec_ofStripe', `${t}.${body}`, 'hex'))
    expect(v1).not.toBe(hmac('sha256', 'whsec_ofStripes', `${t}.${body}`, 'hex'))
    expect(headers['wh-signature']).toMatch(/^v1,/)
    expect((await shownHeaders(headers['wh-id']))['Stripe-Signature']).toBe(
      headers['stripe-signature'],
    )
  })

  test('as of GitHub signs the body alone', async () => {
    await register({ secondSignature: GITHUB })
    await publish()
    const { headers, body } = await receiver.arrival(1)
    const expected = `sha256=${hmac('sha256', GITHUB.secret, body, 'hex')}`
    expect(headers['x-hub-signature-256']).toBe(expected)
  })

  test.each([
    ['SHA1', 'BASE64'],
    ['SHA512', 'BASE64'],
    ['SHA512', 'HEX'],
  ] as const)('can be HMAC-%s in %s, with the id', async (algorithm, encoding) => {
    const [content, value] = ['{id}\n{timestamp}\n{body}', '{id} {signature}']
    await register({ secondSignature: { ...STRIPE, algorithm, encoding, content, value } })
    await publish()
    const { headers, body } = await receiver.arrival(1)
    const { 'wh-id': id, 'wh-timestamp': timestamp } = headers
    const text = `${id}\n${timestamp}\n${body}`
    const hash = algorithm.toLowerCase()
    const signature = hmac(hash, STRIPE.secret, text, encoding === 'HEX' ? 'hex' : 'base64')
    expect(headers['stripe-signature']).toBe(`${id} ${signature}`)
  })

  test('keeps its secret in a change without one, and needs one at first', async () => {
    const { secret, ...withoutSecret } = GITHUB
    const { issues } = await tryToRegister({ secondSignature: withoutSecret })
    expect(issues).toMatchObject([{ path: ['secondSignature', 'secret'], code: 'required' }])

    const { id } = await register({ secondSignature: GITHUB })
    await update(id, { secondSignature: { ...withoutSecret, header: 'X-Hub-Signature' } })
    await publish()
    const { headers, body } = await receiver.arrival(1)
    expect(headers['x-hub-signature']).toBe(`sha256=${hmac('sha256', secret, body, 'hex')}`)

    const before = await revisionOf(id)
    await update(id, { secondSignature: { ...GITHUB, header: 'X-Hub-Signature' } })
    expect(await revisionOf(id)).toBe(before)
    await update(id, { secondSignature: { ...withoutSecret, secret: 'another' } })
    expect(await revisionOf(id)).toBe(before + 1)
    await update(id, { secondSignature: null })
    expect((await tryToUpdate(id, { secondSignature: withoutSecret })).issues).toMatchObject([
      { path: ['secondSignature', 'secret'], code: 'required' },
    ])
  })

  test.each([
    [{ header: 'Content-Length' }, 'header', 'reserved_header', /another name/],
    [{ header: 'WH-Signature' }, 'header', 'duplicate_header', /another signature header/],
    [{ header: 'X-Team' }, 'header', 'duplicate_header', /custom header/],
    [{ content: '{timestamp}' }, 'content', 'invalid_value', /must contain \{body\}/],
    [{ content: '{body}{secret}' }, 'content', 'invalid_value', /not \{secret\}/],
    [{ content: '{{body}' }, 'content', 'invalid_value', /a brace without one/],
    [{ content: '{body}\u0001' }, 'content', 'custom', /control characters/],
    [{ value: 'v1=' }, 'value', 'invalid_value', /must contain \{signature\}/],
    [{ value: '{body}{signature}' }, 'value', 'invalid_value', /not \{body\}/],
    [{ value: '{signature}\r\nX: y' }, 'value', 'custom', /visible ASCII/],
    [{ value: `${'v'.repeat(256)}{signature}` }, 'value', 'too_big', /at most 256/],
    [{ secret: '' }, 'secret', 'too_small', /at least 1/],
    [{ secret: 's'.repeat(257) }, 'secret', 'too_big', /at most 256/],
    [{ secret: 'mine\n' }, 'secret', 'custom', /control characters/],
  ])('is refused with %j', async (part, field, code, message) => {
    const headers = [{ name: 'x-team', value: 'one' }]
    const { issues } = await tryToRegister({ secondSignature: { ...STRIPE, ...part }, headers })
    expect(issues).toMatchObject([{ path: ['secondSignature', field], code }])
    expect(issues[0].message).toMatch(message)
  })

  test('has a secret that no answer, audit entry or error has', async () => {
    const marker = 'marker-of-the-second-secret'
    const { id } = await register({ secondSignature: { ...STRIPE, secret: marker } })
    await update(id, { secondSignature: { ...STRIPE, secret: `${marker}-2` } })
    const { issues } = await tryToUpdate(id, {
      secondSignature: { ...STRIPE, secret: `${marker}\n` },
    })
    const { rows } = await posthorn.database.pool.query(
      `select before, after from posthorn.audit_log where subject_id = $1 and action = 'webhook.updated' order by id`,
      [id],
    )
    expect(rows.at(-1)).toMatchObject({
      before: { secondSignature: { header: 'Stripe-Signature', secret: '•••' } },
      after: { secondSignature: { header: 'Stripe-Signature', secret: '••• (changed)' } },
    })
    expect(JSON.stringify([rows, issues])).not.toContain(marker)
  })

  test('is deleted with the webhook, and an export has it', async () => {
    const { id } = await register({ secondSignature: STRIPE, signatureHeaders: SVIX })
    const { keyring } = posthorn.services.webhooks
    const { webhooks } = await readContents(posthorn.database.pool, keyring)
    expect(webhooks.find((webhook) => webhook.id === id)).toMatchObject({
      secondSignature: STRIPE,
      signatureHeaders: SVIX,
    })
    await posthorn.rest('DELETE', `/webhooks/${id}`)
    const { rows } = await posthorn.database.pool.query(
      `select 1 from posthorn.webhooks where second_secret_ciphertext is not null`,
    )
    expect(rows).toEqual([])
  })
})

describe('a secret of one’s own', () => {
  test('signs from the start, and is not in the audit log', async () => {
    const secret = secretOf(24)
    const { id } = await register({ secret, signatureHeaders: SVIX })
    await publish()
    expect(verifySvix(secret, await receiver.arrival(1))).toMatchObject({ type: JOINED })
    const { rows } = await posthorn.database.pool.query(
      `select before, after from posthorn.audit_log where subject_id = $1`,
      [id],
    )
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length))
  })

  test('takes the place of the current one in a rotation', async () => {
    const { id } = await register({ signatureHeaders: SVIX })
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
    const upsert = async (secret: string) => {
      const { upsertWebhook } = await posthorn.graphql(
        `mutation ($input: UpsertWebhookInput!) {
          upsertWebhook(uid: "moved", input: $input) {
            ${PROBLEMS} ... on UpsertWebhookSuccess { created changed webhook { ${FIELDS} } }
          }
        }`,
        { input: { url: receiver.url, eventSubscriptions: [JOINED], secret } },
      )
      return upsertWebhook
    }
    const webhook = { signingSecret: { key: first } }
    expect(await upsert(first)).toMatchObject({ created: true, webhook })
    expect(await upsert(second)).toMatchObject({ created: false, changed: false, webhook })
  })
})

describe('signsWithPreviousSecret', () => {
  test('sends a signature by each valid secret while one is rotated', async () => {
    const { id, signingSecret } = await register({
      signatureHeaders: SVIX,
      signsWithPreviousSecret: true,
    })
    const { signingSecret: current } = await rotate(id)
    await publish()
    const arrival = await receiver.arrival(1)
    expect(String(arrival.headers['svix-signature']).split(' ')).toHaveLength(2)
    for (const key of [signingSecret.key, current.key]) {
      expect(verifySvix(key, arrival)).toMatchObject({ type: JOINED })
    }
    expect(() => verifySvix(secretOf(32), arrival)).toThrow()

    await posthorn.database.pool.query(
      `update posthorn.signing_secrets set expires_at = now() where expires_at is not null`,
    )
    await update(id, { description: 'after the rotation' })
    await publish()
    const later = await receiver.arrival(2)
    expect(verifySvix(current.key, later)).toMatchObject({ type: JOINED })
    expect(() => verifySvix(signingSecret.key, later)).toThrow()
  })

  test('is off by default: only the current secret signs', async () => {
    const { id } = await register({})
    await rotate(id)
    await publish()
    expect((await receiver.arrival(1)).headers['wh-signature']).toMatch(/^v1,[^ ]+$/)
  })
})

function secretOf(bytes: number): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`
}

function hmac(
  algorithm: string,
  key: string,
  content: string | Buffer,
  encoding: 'hex' | 'base64',
) {
  return createHmac(algorithm, key).update(content).digest(encoding)
}

/** As the library of Svix, which reads the same three values by its own names. */
function verifySvix(secret: string, { headers, body }: Received) {
  return new StandardWebhook(secret).verify(body.toString(), {
    'webhook-id': String(headers['svix-id']),
    'webhook-timestamp': String(headers['svix-timestamp']),
    'webhook-signature': String(headers['svix-signature']),
  })
}

async function tryToRegister(input: object) {
  const fields = { url: receiver.url, eventSubscriptions: [JOINED], enabled: true, ...input }
  const { createWebhook } = await posthorn.graphql(
    `mutation ($input: CreateWebhookInput!) {
      createWebhook(input: $input) { ${PROBLEMS} ... on CreateWebhookSuccess { webhook { ${FIELDS} } } }
    }`,
    { input: fields },
  )
  return createWebhook
}

async function register(input: object) {
  const { webhook, ...problem } = await tryToRegister(input)
  expect(problem).toEqual({})
  return webhook
}

async function tryToUpdate(id: string, input: object) {
  const { updateWebhook } = await posthorn.graphql(
    `mutation ($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) { ${PROBLEMS} ... on UpdateWebhookSuccess { webhook { ${FIELDS} } } }
    }`,
    { id, input },
  )
  return updateWebhook
}

async function update(id: string, input: object) {
  const { webhook, ...problem } = await tryToUpdate(id, input)
  expect(problem).toEqual({})
  return webhook
}

async function rotate(id: string, secret?: string) {
  const { rotateSigningSecret } = await posthorn.graphql(
    `mutation ($id: ID!, $input: RotateSigningSecretInput!) {
      rotateSigningSecret(id: $id, input: $input) {
        ${PROBLEMS} ... on RotateSigningSecretSuccess { signingSecret { key } }
      }
    }`,
    { id, input: { secret } },
  )
  return rotateSigningSecret
}

async function revisionOf(id: string): Promise<number> {
  const { webhook } = await posthorn.graphql('query ($id: ID) { webhook(id: $id) { revision } }', {
    id,
  })
  return webhook.revision
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
