import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { receiver } from '../../packages/receiver/src/frameworks/express.ts'
import { PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body } = PUBLISHED

test.each([
  ['a body that middleware read', { rawBody: Buffer.from(body) }],
  ['a body that it reads itself', {}],
])('of %s, the largest one is taken, and one byte more is 413', async (_case, given) => {
  const statusWith = async (maxBodyBytes: number) => {
    const response = { statusCode: 0, setHeader: () => {}, end: () => {} }
    const request = Object.assign(Readable.from([Buffer.from(body)]), {
      method: 'POST',
      headers: publishedHeaders(),
      ...given,
    })
    const receive = receiver({ secret, now: sentAt(), maxBodyBytes }, () => {})
    await receive(request, response, (error) => expect.fail(String(error)))
    return response.statusCode
  }
  expect(await statusWith(body.length)).toBe(204)
  expect(await statusWith(body.length - 1)).toBe(413)
})
