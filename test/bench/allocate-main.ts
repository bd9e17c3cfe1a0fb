import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** Strings that a thread allocates in its heap, one after the other. `keep` of them live on. */
export interface Strings {
  readonly count: number
  readonly length: number
  readonly keep: number
}

/* A program with two threads, the first of which allocates what the parent asks for. */
if (isMainThread) {
  const file = fileURLToPath(import.meta.url)
  const worker = new Worker(file, { name: 'worker' })
  const other = new Worker(file, { name: 'other' })
  // A thread hears nothing of what is asked before it runs.
  await Promise.all([once(worker, 'message'), once(other, 'message')])
  worker.on('message', (message) => process.send?.(message))
  process.on('message', (message: Partial<Strings>) => {
    if (message.count !== undefined) worker.postMessage(message)
  })
  process.send?.('ready')
} else {
  let kept: string[] = []
  parentPort?.on('message', ({ count, length, keep }: Strings) => {
    const bytes = Buffer.alloc(length)
    kept = new Array(keep)
    for (let i = 0; i < count; i++) {
      const string = bytes.toString('latin1')
      if (i < keep) kept[i] = string
    }
    parentPort?.postMessage('allocated')
  })
  parentPort?.postMessage('ready')
}
