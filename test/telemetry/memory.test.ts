import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

test('a thread says when its memory becomes short, and when it suffices again', async () => {
  const thread = new Worker(new URL('support/short-of-memory.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
  })
  try {
    expect(await once(thread, 'message')).toEqual([['memory.short', true]])
    thread.postMessage('empty')
    expect(await once(thread, 'message')).toEqual([['memory.sufficient', false]])
  } finally {
    await thread.terminate()
  }
})
