import { createSecretKey, randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { signDelivery } from '../../packages/receiver/src/sign.ts'
import { serveParent } from './script-process.ts'

interface Load {
  readonly url: string
  readonly authority: string
  readonly body: string
  readonly count: number
  readonly warmUp: number
  readonly concurrency: number
}

serveParent({
  async send({ url, authority, body, count, warmUp, concurrency }: Load) {
    const dispatcher = new Agent({ connections: concurrency, connect: { ca: authority } })
    const key = createSecretKey(randomBytes(32))
    const bytes = Buffer.from(body)
    const last = warmUp + count
    let started = 0
    let ended = 0
    let startedAt = 0
    async function lane() {
      while (started < last) {
        const id = `msg_${started++}`
        const timestamp = String(Math.floor(Date.now() / 1_000))
        const response = await request(url, {
          dispatcher,
          method: 'POST',
          body: bytes,
          headers: {
            'content-type': 'application/json',
            'wh-id': id,
            'wh-timestamp': timestamp,
            'wh-signature': signDelivery(key, id, timestamp, bytes),
          },
        })
        await response.body.dump()
        if (++ended === warmUp) startedAt = performance.now()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, lane))
    const perSecond = count / ((performance.now() - startedAt) / 1_000)
    await dispatcher.close()
    return perSecond
  },
})
