import { describe, expect, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/http/read-body.ts'
import { json, NEW_WEBHOOK, problem, useConnectV1, WEBHOOKS } from './connect-v1.ts'

const api = await useConnectV1()
const webhookPath = `/webhooks/${(await api.create()).id}`

/** Sends the body to create and to update a webhook, which must both reject it with `status`. */
async function rejectedByBoth(body: unknown, status: number, headers: Record<string, string> = {}) {
  const count = await api.countWebhooks()
  const bodies = []
  for (const [method, path] of [
    ['POST', '/webhooks'],
    ['PUT', webhookPath],
  ] as const) {
    bodies.push(await problem(await api.call(method, path, { body, headers }), status))
  }
  expect(await api.countWebhooks()).toBe(count)
  return bodies[0]
}

describe('400', () => {
  test.each([
    ['malformed JSON', '{"url": "https://top-secret.example"'],
    ['two values', '{}{}'],
    ['an empty body', ''],
    ['an array', '[{"url":"https://top-secret.example"}]'],
    ['a string', '"top-secret"'],
    ['null', 'null'],
  ])('%s', async (_what, body) => {
    const { type, detail } = await rejectedByBoth(body, 400)
    expect(type).toBe('urn:posthorn:problem:malformed')
    expect(detail).not.toContain('top-secret')
  })

  test('a body that is cut off', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"url":'))
        controller.error(new Error('ECONNRESET'))
      },
    })
    await problem(await stream(broken), 400)
  })
})

describe('413', () => {
  const sized = (bytes: number) => {
    const frame = JSON.stringify({ ...NEW_WEBHOOK, description: '' })
    return JSON.stringify({ ...NEW_WEBHOOK, description: 'a'.repeat(bytes - frame.length) })
  }

  test('a body of more than 65,536 bytes, while one of 65,536 bytes is parsed', async () => {
    const { detail } = await rejectedByBoth(sized(MAX_BODY_BYTES + 1), 413)
    expect(detail).toContain('65,536 bytes')
    await rejectedByBoth(sized(MAX_BODY_BYTES), 422)
  })

  test('a body with a longer content-length, without reading it', async () => {
    let pulled = 0
    const body = endless(() => pulled++)
    await problem(await stream(body, { 'content-length': `${MAX_BODY_BYTES + 1}` }), 413)
    expect(pulled).toBeLessThanOrEqual(1)
  })

  test('an endless chunked body, without reading beyond the limit', async () => {
    let pulled = 0
    await problem(await stream(endless(() => pulled++)), 413)
    expect(pulled).toBeLessThanOrEqual(MAX_BODY_BYTES / 1_024 + 2)
  })

  test('a chunked body within the limit is accepted', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...NEW_WEBHOOK, description: 'Café' }))
    const body = new ReadableStream({
      start(controller) {
        // One byte per chunk, which also splits characters.
        for (const byte of bytes) controller.enqueue(Buffer.of(byte))
        controller.close()
      },
    })
    const response = await stream(body)
    expect(response.status).toBe(201)
    expect((await json(response)).description).toBe('Café')
  })

  function endless(onPull: () => void) {
    return new ReadableStream({
      pull(controller) {
        onPull()
        controller.enqueue(Buffer.alloc(1_024, ' '))
      },
    })
  }
})

describe('415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/json, text/plain',
    '',
  ])('content-type: %s', async (type) => {
    const { detail } = await rejectedByBoth('{}', 415, { 'content-type': type })
    expect(detail).toContain('Content-Type: application/json')
  })

  test('no content-type', async () => {
    const headers = { authorization: `Bearer ${api.tenant.token}` }
    const body = Buffer.from(JSON.stringify(NEW_WEBHOOK))
    await problem(await api.app.request(WEBHOOKS, { method: 'POST', headers, body }), 415)
  })
})

describe('a lone surrogate is rejected', () => {
  test.each([
    ['in a URL', String.raw`{"url":"https://receiver.example/\ud800"}`],
    ['in a header name', String.raw`{"headers":{"\ud800":"a"}}`],
    ['in an unknown field', String.raw`{"x":[{"y":["","\ud800"]}]}`],
  ])('%s', async (_what, body) => {
    const { detail } = await rejectedByBoth(body, 400)
    expect(detail).toContain('half of a character')
  })

  test('but not a whole pair, nor a backslash that is no escape', async () => {
    const { id } = await api.create()
    for (const [field, description] of [
      [String.raw`"description":"\ud83d\ude00"`, '\u{1f600}'],
      [String.raw`"description":"\\ud800"`, String.raw`\ud800`],
    ]) {
      const response = await api.call('PUT', `/webhooks/${id}`, { body: `{${field}}` })
      expect((await json(response)).description).toBe(description)
    }
  })
})

async function stream(body: ReadableStream, headers: Record<string, string> = {}) {
  const sent = { authorization: `Bearer ${api.tenant.token}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers: { ...sent, ...headers }, body, duplex: 'half' }
  return await api.app.request(WEBHOOKS, init as RequestInit)
}
