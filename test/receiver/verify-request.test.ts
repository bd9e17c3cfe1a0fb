import { describe, expect, test } from 'vitest'
import {
  sign,
  type VerifyRequestOptions,
  verifyRequest,
} from '../../packages/receiver/src/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id } = PUBLISHED
const options = { secret, now: sentAt() }

function request(changes: RequestInit & { duplex?: 'half' } = {}): Request {
  const headers = publishedHeaders() as Record<string, string>
  const init = { method: 'POST', body, headers, ...changes }
  return new Request('https://receiver.example/hooks/a', init)
}

describe('verifyRequest', () => {
  test('returns an authentic delivery with its parsed and its raw body', async () => {
    expect(await verifyRequest(request(), options)).toEqual({
      ok: true,
      id,
      timestamp: sentAt(),
      secretIndex: 0,
      isTest: false,
      event: { test: 2432232314 },
      rawBody: new TextEncoder().encode(body),
    })
  })

  const tooLarge = { maxBodyBytes: body.length - 1 }

  test.each<[string, Request, Partial<VerifyRequestOptions>, number, string]>([
    ['another body', request({ body: '{"test": 1}' }), {}, 400, 'no-matching-signature'],
    ['another secret', request(), { secret: OTHER_SECRET }, 400, 'no-matching-signature'],
    ['no headers', request({ headers: {} }), {}, 400, 'missing-header'],
    ['no body', request({ body: null }), {}, 400, 'no-matching-signature'],
    ['an old timestamp', request(), { now: sentAt(301) }, 400, 'timestamp-too-old'],
    ['a body larger than the bound', request(), tooLarge, 413, 'body-too-large'],
  ])('rejects %s, with what to answer', async (_, given, changes, status, reason) => {
    const result = await verifyRequest(given, { ...options, ...changes })
    expect(result).toMatchObject({ ok: false, message: expect.any(String), status, reason })
  })

  test('accepts a body of exactly the bound', async () => {
    const result = await verifyRequest(request(), { ...options, maxBodyBytes: body.length })
    expect(result.ok).toBe(true)
  })

  test('stops to read a body without content-length at the bound', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(1_000))
      },
    })
    const given = request({ body: endless, duplex: 'half' })
    const result = await verifyRequest(given, { ...options, maxBodyBytes: 10_000 })
    expect(result).toMatchObject({ reason: 'body-too-large' })
    expect(chunks).toBeLessThan(20)
  })

  test('a body that is signed but not JSON is rejected', async () => {
    const headers = {
      ...(publishedHeaders() as Record<string, string>),
      'wh-signature': await sign(secret, id, PUBLISHED.timestamp, 'plain text'),
    }
    expect(await verifyRequest(request({ body: 'plain text', headers }), options)).toMatchObject({
      reason: 'invalid-json',
      message: `The body of delivery ${id} is not JSON.`,
      status: 400,
    })
  })

  test('the secret can be a function of the request', async () => {
    const byPath: VerifyRequestOptions<Request> = {
      ...options,
      secret: async ({ url }) => (url.endsWith('/a') ? [undefined, secret] : OTHER_SECRET),
    }
    expect(await verifyRequest(request(), byPath)).toMatchObject({ ok: true, secretIndex: 1 })
    const other = new Request('https://receiver.example/hooks/b', request())
    expect(await verifyRequest(other, byPath)).toMatchObject({ reason: 'no-matching-signature' })
  })
})

describe('verifyRequest throws a TypeError', () => {
  test('if the body was read before, with the remedy', async () => {
    const given = request()
    await given.json()
    await expect(verifyRequest(given, options)).rejects.toThrow(
      new TypeError(
        'The body of the request was already read, and the signature covers its bytes: ' +
          'verify the request before other code reads its body, or let that code read request.clone().',
      ),
    )
  })

  test.each([undefined, [], [undefined], () => undefined])(
    'if there is no secret: %j',
    async (missing) => {
      const promise = verifyRequest(request(), { ...options, secret: missing })
      await expect(promise).rejects.toThrow('Is the variable that contains it set?')
    },
  )

  test('for an unknown option', async () => {
    const misspelled = { ...options, maxBodySize: 1 } as VerifyRequestOptions
    await expect(verifyRequest(request(), misspelled)).rejects.toThrow(
      new TypeError(
        'Unknown option "maxBodySize"; the options are secret, maxBodyBytes, headerPrefix and now.',
      ),
    )
  })
})
