import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpSenderOptions } from '../../src/outbound/http-sender.ts'
import type { Outcome } from '../../src/outbound/outcome.ts'
import { startStopwatch } from '../support/stopwatch.ts'
import { certificate, openReceiver, openSender, post } from './sending.ts'

const MIB = 1024 * 1024
const RECEIVERS = 200

/** The sender reads 64 KiB of each body and keeps 16 KiB; TLS connections use the rest. */
const MAX_GROWTH_BYTES = 64 * MIB

/** vitest.config.ts starts the tests with `--expose-gc`. */
function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('Run the tests with --expose-gc.')
  globalThis.gc()
}

/** In a separate process, so that its memory is not measured. */
async function openEndlessReceiver(kind: string): Promise<{ port: number }> {
  const child = fork(fileURLToPath(new URL('endless-receiver.ts', import.meta.url)), [kind])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  child.send(certificate)
  const [port] = (await once(child, 'message')) as [number]
  return { port }
}

/** Sends to all receivers in parallel and measures the peak growth of memory. Aborts the run beyond the limit. */
async function sendToAll(
  kind: string,
  options: Partial<HttpSenderOptions>,
): Promise<{ outcomes: Outcome[]; heapBytes: number; residentBytes: number; tookMs: number }> {
  const receiver = await openEndlessReceiver(kind)
  const sender = openSender(options)
  await post(sender, await openReceiver())
  collectGarbage()
  const before = measure()
  let [heapBytes, residentBytes] = [0, 0]
  const overflow = new AbortController()
  const timer = setInterval(() => {
    const now = measure()
    heapBytes = Math.max(heapBytes, now.heapBytes - before.heapBytes)
    residentBytes = Math.max(residentBytes, now.residentBytes - before.residentBytes)
    if (heapBytes > MAX_GROWTH_BYTES) overflow.abort()
  }, 5)
  const stopwatch = startStopwatch()
  const outcomes = await Promise.all(
    Array.from({ length: RECEIVERS }, () => post(sender, receiver, { signal: overflow.signal })),
  )
  clearInterval(timer)
  return { outcomes, heapBytes, residentBytes, tookMs: stopwatch.readMs() }
}

function measure(): { heapBytes: number; residentBytes: number } {
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heapBytes: heapUsed + external, residentBytes: rss }
}

const cutOff = { kind: 'answered', status: 200, bodyTruncated: true }
const tooLarge = { kind: 'unreachable', code: 'head_too_large' }

test.each([
  ['a body', cutOff],
  ['a body in chunks', cutOff],
  ['a head', tooLarge],
  ['interim responses', tooLarge],
])(
  '200 parallel responses without end, each %s, are cut off in time and use little memory',
  async (kind, expected) => {
    const { outcomes, heapBytes, residentBytes, tookMs } = await sendToAll(kind, {})
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject(expected)
      if (outcome.kind === 'answered') expect(outcome.body).toHaveLength(16 * 1024)
    }
    // The timeouts for connecting, the response and the body add up to 22 s.
    expect(tookMs).toBeLessThan(23_000)
    expect(heapBytes).toBeLessThan(MAX_GROWTH_BYTES)
    expect(residentBytes).toBeLessThan(2 * MAX_GROWTH_BYTES)
  },
)
