import { sign } from '../../packages/receiver/src/index.ts'

/** The test vector published with Standard Webhooks: a secret, a delivery and its signature. */
export const PUBLISHED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
} as const

export const OTHER_SECRET = `whsec_${btoa('another webhook, another key')}`

/** The time of the published delivery plus `offsetSeconds`. */
export function sentAt(offsetSeconds = 0): Date {
  return new Date((Number(PUBLISHED.timestamp) + offsetSeconds) * 1000)
}

export function publishedHeaders(
  overrides: Record<string, string | undefined> = {},
): Record<string, string | undefined> {
  return {
    'wh-id': PUBLISHED.id,
    'wh-timestamp': PUBLISHED.timestamp,
    'wh-signature': PUBLISHED.signature,
    ...overrides,
  }
}

/** The headers of the published delivery with another timestamp text and a matching signature. */
export async function headersSignedAt(timestamp: string): Promise<Record<string, string>> {
  return {
    'wh-id': PUBLISHED.id,
    'wh-timestamp': timestamp,
    'wh-signature': await sign(PUBLISHED.secret, PUBLISHED.id, timestamp, PUBLISHED.body),
  }
}
