import { sign } from '../../../packages/receiver/src/index.ts'

/** What is sent, changed after it was signed or signed in another way. */
interface Delivery {
  readonly id: string
  readonly body?: string
  readonly ageSeconds?: number
  readonly timestamp?: string
  readonly change?: (headers: Record<string, string>) => Record<string, string>
  readonly tampered?: string
}

/** Where deliveries are sent, and the prefix of their headers if it is another than `wh-`. */
interface Target {
  readonly url: string
  readonly prefix?: string
}

/** Of a webhook before and after a rotation. */
export type Secrets = readonly [old: string, current: string]

const OTHER_SECRET = `whsec_${Buffer.from('another webhook, another key').toString('base64')}`

export const withSignature = (of: (signature: string) => string): Partial<Delivery> => ({
  change: (headers) => ({ ...headers, 'wh-signature': of(headers['wh-signature'] ?? '') }),
})

const without = (name: string): Partial<Delivery> => ({
  change: ({ [name]: _, ...others }) => others,
})

const withOtherId: Partial<Delivery> = {
  change: (headers) => ({ ...headers, 'wh-id': `${headers['wh-id']}2` }),
}

/** One delivery each, and the status of its answer. Without a secret, it is signed with the current one. */
const ROWS: readonly [
  what: string,
  status: number,
  delivery?: Partial<Delivery>,
  secret?: string,
][] = [
  ['an authentic delivery', 204],
  ['the old secret', 204, {}, 'old'],
  ['four minutes old', 204, { ageSeconds: 240 }],
  [
    'the second signature of three',
    204,
    withSignature((signature) => `v1,${btoa('x'.repeat(32))} ${signature} v2,abc`),
  ],
  ['a tampered body', 400, { tampered: '{"id":"evt_2"}' }],
  ['another secret', 400, {}, OTHER_SECRET],
  ['six minutes old', 400, { ageSeconds: 360 }],
  ['six minutes ahead', 400, { ageSeconds: -360 }],
  ['a time that is no number', 400, { timestamp: '12a' }],
  ['a time beyond all', 400, { timestamp: '9'.repeat(30) }],
  ['a signature of another version', 400, withSignature((one) => one.replace('v1,', 'v2,'))],
  ['a shortened signature', 400, withSignature((one) => one.slice(0, -4))],
  ['the signature of another id', 400, withOtherId],
  ['no wh-id', 400, without('wh-id')],
  ['no wh-timestamp', 400, without('wh-timestamp')],
  ['no wh-signature', 400, without('wh-signature')],
]

export const CASES = ROWS.map(([what, status, delivery, secret]) => ({
  ...{ what, status },
  send: (target: Target, [old, current]: Secrets, id: string) =>
    post(target, secret === 'old' ? old : (secret ?? current), { ...delivery, id }),
}))

/** Sends a delivery to a receiver. Returns the status of the answer. */
export async function post(
  { url, prefix = 'wh-' }: Target,
  secret: string,
  { id, body = '{"id":"evt_1","data":"Zoë"}', tampered = body, ...delivery }: Delivery,
): Promise<number> {
  const { ageSeconds = 0, change = (headers) => headers } = delivery
  const timestamp = delivery.timestamp ?? String(Math.floor(Date.now() / 1_000) - ageSeconds)
  const signature = await sign(secret, id, timestamp, body)
  const headers = { 'wh-id': id, 'wh-timestamp': timestamp, 'wh-signature': signature }
  const sent = Object.entries(change(headers)).map(([name, value]): [string, string] => [
    name.replace('wh-', prefix),
    value,
  ])
  const response = await fetch(url, { method: 'POST', headers: sent, body: tampered })
  return response.status
}
