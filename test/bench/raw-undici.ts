import { createSecretKey, randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { signDelivery } from '../../src/receiver/sign.ts'
import type { BenchReceiver } from './bench-receiver.ts'

/** What one process can do at best: signed POSTs of a payload, and nothing recorded. Answers requests per second. */
export async function measureRawUndici(
  receiver: BenchReceiver,
  body: Buffer,
  count: number,
  concurrency: number,
): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency, connect: { ca: receiver.authority } })
  const key = createSecretKey(randomBytes(32))
  let next = 0
  async function worker() {
    while (next < count) {
      const id = `msg_${next++}`
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const response = await request(receiver.url, {
        dispatcher,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'wh-id': id,
          'wh-timestamp': timestamp,
          'wh-signature': signDelivery(key, id, timestamp, body),
        },
      })
      await response.body.dump()
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  const perSecond = count / ((performance.now() - startedAt) / 1_000)
  await dispatcher.close()
  return perSecond
}
