import { AsyncLocalStorage } from 'node:async_hooks'

export interface BatchOptions<Input> {
  /** The maximum number of calls in a batch. */
  readonly maxSize: number
  /** The maximum total weight of a batch; a heavier call runs alone. Default: no limit. */
  readonly weight?: { readonly max: number; readonly of: (input: Input) => number }
  /** How many batches may run in parallel; further calls wait for the next batch. Default: no limit. */
  readonly parallel?: number
  /**
   * Whether an error is caused by one of the calls and the batch certainly had no effect. The batch then runs again in
   * halves, until only the faulty calls fail. Default: never.
   */
  readonly isolate?: (error: unknown) => boolean
}

type Run<Input, Output> = (inputs: Input[]) => Promise<readonly Output[]>

interface Call<Input, Output> {
  readonly input: Input
  readonly weight: number
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches concurrent calls: calls of one tick run as one batch, and each gets its own result. With `parallel`, calls gather
 * while as many batches run.
 * `run` returns one result per input, in order; if it throws, every call of the batch throws.
 */
export function batched<Input, Output>(
  run: Run<Input, Output>,
  options: BatchOptions<Input>,
): (input: Input) => Promise<Output> {
  const { maxSize, weight, parallel = Number.POSITIVE_INFINITY, isolate } = options
  const calls: Call<Input, Output>[] = []
  // A batch belongs to several requests, so it runs in the context of none.
  const runOutside = AsyncLocalStorage.snapshot()
  let running = 0
  let gathering = false

  function gather(): void {
    gathering = true
    setImmediate(flush)
  }

  function flush(): void {
    gathering = false
    while (calls.length > 0 && running < parallel) start(takeBatch())
  }

  function start(batch: Call<Input, Output>[]): void {
    running += 1
    void runOutside(() => runBatch(run, batch, isolate)).then(() => {
      running -= 1
      if (!gathering && calls.length > 0) gather()
    })
  }

  /** Removes the oldest calls, up to the limits of a batch. */
  function takeBatch(): Call<Input, Output>[] {
    let count = 1
    for (let sum = calls[0]?.weight ?? 0; count < Math.min(calls.length, maxSize); count++) {
      sum += calls[count]?.weight ?? 0
      if (weight && sum > weight.max) break
    }
    return calls.splice(0, count)
  }

  return (input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    const size = weight?.of(input) ?? 0
    calls.push({ input, weight: size, resolve, reject })
    if (calls.length >= maxSize) flush()
    else if (!gathering && running < parallel) gather()
    return promise
  }
}

/** Settles every call of the batch. Halves run one after the other, so that calls keep their order. */
async function runBatch<Input, Output>(
  run: Run<Input, Output>,
  calls: readonly Call<Input, Output>[],
  isolate: BatchOptions<Input>['isolate'],
): Promise<void> {
  try {
    const outputs = await run(calls.map(({ input }) => input))
    calls.forEach(({ resolve }, i) => {
      resolve(outputs[i] as Output)
    })
  } catch (error) {
    if (calls.length > 1 && isolate?.(error)) {
      const half = Math.ceil(calls.length / 2)
      await runBatch(run, calls.slice(0, half), isolate)
      await runBatch(run, calls.slice(half), isolate)
    } else {
      for (const call of calls) call.reject(error)
    }
  }
}
