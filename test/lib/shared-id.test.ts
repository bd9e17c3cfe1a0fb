import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createSharedIdMemory, openSharedId } from '../../src/lib/shared-id.ts'

const ID = '01990000-0000-7000-8000-000000000001'
const SOURCE = new URL('../../src/lib/shared-id.ts', import.meta.url).href

/** Ends a thread that opens the memory as `id` and runs the code. */
async function endThread(memory: SharedArrayBuffer, code: string): Promise<void> {
  const program = `
    const { workerData, parentPort } = await import('node:worker_threads')
    const { openSharedId } = await import(${JSON.stringify(SOURCE)})
    const id = openSharedId(workerData)
    ${code}
    parentPort.postMessage('done')
    for (;;);`
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  const thread = new Worker(url, { workerData: memory })
  await once(thread, 'message')
  await thread.terminate()
}

test('an id outlives the thread that wrote it', async () => {
  const memory = createSharedIdMemory()
  await endThread(memory, `id.set('${ID}')`)
  expect(openSharedId(memory).read()).toBe(ID)
})

test('a cleared id is null, as at the beginning', async () => {
  const memory = createSharedIdMemory()
  expect(openSharedId(memory).read()).toBeNull()
  await endThread(memory, `id.set('${ID}'); id.clear()`)
  expect(openSharedId(memory).read()).toBeNull()
})
