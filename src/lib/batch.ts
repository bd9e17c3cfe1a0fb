export interface BatchOptions<Input> {
  /** How long the first call of a batch waits for others, in milliseconds; 0: until the end of the tick. */
  readonly gatherMs: number
  /** The calls in a batch, at most. */
  readonly maxSize: number
  /** What the calls of a batch may weigh together; a heavier call goes alone. Default: anything. */
  readonly weight?: { readonly max: number; readonly of: (input: Input) => number }
  /** How many batches run at once; meanwhile further calls gather. Default: any number. */
  readonly parallel?: number
  /**
   * Whether an error rejects one of the calls and says for certain that nothing was done. Then the batch runs again by
   * halves, until only the calls at fault are rejected. Default: never.
   */
  readonly isolate?: (error: unknown) => boolean
}

type Run<Input, Output> = (inputs: Input[]) => Promise<readonly Output[]>

interface Call<Input, Output> extends PromiseWithResolvers<Output> {
  readonly input: Input
  readonly weight: number
}

/**
 * Turns many concurrent calls into few: calls made close together run as one batch, and each gets its own answer.
 * `run` answers one result for each input, in order; when it throws, every call of that batch does.
 */
export function batched<Input, Output>(
  run: Run<Input, Output>,
  options: BatchOptions<Input>,
): (input: Input) => Promise<Output> {
  const { gatherMs, maxSize, weight, parallel = Number.POSITIVE_INFINITY, isolate } = options
  const calls: Call<Input, Output>[] = []
  let running = 0
  let gathering = false

  function flush(): void {
    gathering = false
    while (calls.length > 0 && running < parallel) start(takeBatch())
  }

  function start(batch: Call<Input, Output>[]): void {
    running += 1
    void settle(run, batch, isolate).then(() => {
      running -= 1
      if (!gathering) flush()
    })
  }

  /** The calls that waited longest, as many as a batch may hold. */
  function takeBatch(): Call<Input, Output>[] {
    let count = 1
    for (let sum = calls[0]?.weight ?? 0; count < Math.min(calls.length, maxSize); count++) {
      sum += calls[count]?.weight ?? 0
      if (weight && sum > weight.max) break
    }
    return calls.splice(0, count)
  }

  return (input) => {
    const call = { ...Promise.withResolvers<Output>(), input, weight: weight?.of(input) ?? 0 }
    calls.push(call)
    if (calls.length >= maxSize) flush()
    else if (!gathering && running < parallel) {
      gathering = true
      if (gatherMs > 0) setTimeout(flush, gatherMs)
      else setImmediate(flush)
    }
    return call.promise
  }
}

/** Answers every call. Halves run one after the other, so that the calls keep their order. */
async function settle<Input, Output>(
  run: Run<Input, Output>,
  calls: readonly Call<Input, Output>[],
  isolate: BatchOptions<Input>['isolate'],
): Promise<void> {
  try {
    const outputs = await run(calls.map(({ input }) => input))
    for (const [i, call] of calls.entries()) call.resolve(outputs[i] as Output)
  } catch (error) {
    if (calls.length > 1 && isolate?.(error)) {
      const half = Math.ceil(calls.length / 2)
      await settle(run, calls.slice(0, half), isolate)
      await settle(run, calls.slice(half), isolate)
    } else {
      for (const call of calls) call.reject(error)
    }
  }
}
