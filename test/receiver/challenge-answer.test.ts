import { describe, expect, test } from 'vitest'
import { receiver } from '../../packages/receiver/src/frameworks/next.ts'
import { challengeAnswer, sign } from '../../packages/receiver/src/index.ts'

const secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'
const CHALLENGE = { type: 'verification', challenge: 'c-1' }

test.each([
  ['an event', { id: 'evt_1', type: 'order.paid', timestamp: '', data: {} }],
  ['an event with a challenge in its data', { type: 'x', data: CHALLENGE }],
  ['no text', { type: 'verification', challenge: 1 }],
  ['another type', { type: 'verify', challenge: 'c-1' }],
  ['null', null],
  ['a list', [CHALLENGE]],
])('challengeAnswer is null for %s', (_, event) => {
  expect(challengeAnswer(event)).toBeNull()
})

describe('an adapter', () => {
  async function send(body: string, signedWith = secret) {
    const handled: unknown[] = []
    const POST = receiver({ secret }, ({ event }) => handled.push(event))
    const id = 'msg_verification_1'
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = await sign(signedWith, id, timestamp, body)
    const headers = { 'wh-id': id, 'wh-timestamp': timestamp, 'wh-signature': signature }
    const request = { method: 'POST', body, headers }
    const response = await POST(new Request('https://receiver.example/', request))
    return { response, handled }
  }

  test('answers a signed challenge, which is no delivery for the handler', async () => {
    const { response, handled } = await send(JSON.stringify(CHALLENGE))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ challenge: 'c-1' })
    expect(handled).toEqual([])
  })

  test('does not answer a challenge that is signed with another secret', async () => {
    const other = 'whsec_OTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'
    const { response, handled } = await send(JSON.stringify(CHALLENGE), other)
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('c-1')
    expect(handled).toEqual([])
  })
})
