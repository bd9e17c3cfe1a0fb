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

type Send = (target: Target, secrets: Secrets, id: string) => Promise<number>

const OTHER_SECRET = `whsec_${Buffer.from('another webhook, another key').toString('base64')}`

export const withSignature =
  (of: (signature: string) => string) => (headers: Record<string, string>) => ({
    ...headers,
    'wh-signature': of(headers['wh-signature'] ?? ''),
  })

const delivered =
  (delivery: Omit<Delivery, 'id'>): Send =>
  (target, [, secret], id) =>
    post(target, secret, { ...delivery, id })

/** One delivery each, and the status of its answer. */
export const CASES: readonly { what: string; status: number; send: Send }[] = [
  { what: 'an authentic delivery', status: 204, send: delivered({}) },
  { what: 'the old secret', status: 204, send: (target, [old], id) => post(target, old, { id }) },
  { what: 'four minutes old', status: 204, send: delivered({ ageSeconds: 240 }) },
  {
    what: 'the second signature of three',
    status: 204,
    send: delivered({
      change: withSignature((signature) => `v1,${btoa('x'.repeat(32))} ${signature} v2,abc`),
    }),
  },
  { what: 'a tampered body', status: 400, send: delivered({ tampered: '{"id":"evt_2"}' }) },
  {
    what: 'another secret',
    status: 400,
    send: (target, _, id) => post(target, OTHER_SECRET, { id }),
  },
  { what: 'six minutes old', status: 400, send: delivered({ ageSeconds: 360 }) },
  { what: 'six minutes ahead', status: 400, send: delivered({ ageSeconds: -360 }) },
  { what: 'a time that is no number', status: 400, send: delivered({ timestamp: '12a' }) },
  { what: 'a time beyond all', status: 400, send: delivered({ timestamp: '9'.repeat(30) }) },
  {
    what: 'a signature of another version',
    status: 400,
    send: delivered({ change: withSignature((signature) => signature.replace('v1,', 'v2,')) }),
  },
  {
    what: 'a shortened signature',
    status: 400,
    send: delivered({ change: withSignature((signature) => signature.slice(0, -4)) }),
  },
  {
    what: 'the signature of another id',
    status: 400,
    send: delivered({ change: (headers) => ({ ...headers, 'wh-id': `${headers['wh-id']}2` }) }),
  },
  ...['wh-id', 'wh-timestamp', 'wh-signature'].map((name) => ({
    what: `no ${name}`,
    status: 400,
    send: delivered({
      change: ({ [name]: _, ...others }) => others,
    }),
  })),
]

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
