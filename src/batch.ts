export interface BatchOptions<Input> {
  /** How long the first call of a batch waits for others to join; 0: until the end of the current tick. */
  readonly gatherMs: number
  /** A batch of this size goes at once. */
  readonly maxSize: number
  /**
   * Whether calls wait only while an earlier batch runs: alone, a call goes at the end of its tick, and those that wait
   * go when the earlier batch is done, `gatherMs` at the latest. Default: false.
   */
  readonly whenIdle?: boolean
  /** How long after one batch began the next one begins at the earliest. Default: 0. */
  readonly distanceMs?: number
  /** Once a batch began longer than this after the one before, the next keeps no distance: calls are few. Default: never. */
  readonly pauseMs?: number
  /** While so few calls wait, none of them urgent, the next batch keeps this distance instead. Default: it does not. */
  readonly patience?: {
    readonly fewerThan: number
    readonly distanceMs: number
    readonly isUrgent: (input: Input) => boolean
  }
  /** What a batch may weigh, in units of `of`; a call that weighs more by itself goes alone. Default: anything. */
  readonly weight?: {
    readonly max: number
    readonly of: (input: Input) => number
    /**
     * How many batches run at once, where they weigh more than `light` together. Further calls wait until one of them is
     * done, for `waitMs` at most.
     */
    readonly parallel?: { readonly max: number; readonly light: number; readonly waitMs: number }
  }
  /**
   * Whether an error refuses something in the batch and says for certain that nothing of it was done. Then the batch is
   * run again by halves, one after the other, until only the calls at fault are refused. Default: never.
   */
  readonly isolate?: (error: unknown) => boolean
}

type Run<Input, Output> = (inputs: Input[]) => Promise<readonly Output[]>

interface Call<Input, Output> {
  readonly input: Input
  readonly weight: number
  readonly caller: PromiseWithResolvers<Output>
}

/**
 * Turns many concurrent calls into few: calls made close together run as one, and each gets its own answer.
 * `run` answers one result for each input, in order; when it throws, every call of that batch does.
 */
export function batched<Input, Output>(
  run: Run<Input, Output>,
  {
    gatherMs,
    maxSize,
    whenIdle = false,
    distanceMs = 0,
    pauseMs = Number.POSITIVE_INFINITY,
    patience,
    weight,
    isolate,
  }: BatchOptions<Input>,
): (input: Input) => Promise<Output> {
  const calls: Call<Input, Output>[] = []
  let gathered = 0
  let urgent = false
  const parallel = weight?.parallel
  let running = 0
  let underWay = 0
  let awaitsRoom = false
  let lastAt = Number.NEGATIVE_INFINITY
  let afterPause = false
  let scheduled: NodeJS.Timeout | NodeJS.Immediate | undefined

  function flush() {
    cancel(scheduled)
    scheduled = undefined
    if (calls.length === 0) return
    const waitMs = msUntilRoom()
    if (waitMs > 0) {
      awaitsRoom = true
      scheduled = setTimeout(flush, waitMs)
      return
    }
    awaitsRoom = false
    const { batch, heavy } = takeBatch()
    urgent = false
    running++
    underWay += heavy
    if (distanceMs > 0 || parallel) {
      const now = performance.now()
      afterPause = now - lastAt > pauseMs
      lastAt = now
    }
    void settle(run, batch, isolate).then(() => {
      running--
      underWay -= heavy
      if (awaitsRoom) flush()
      else if (whenIdle && running === 0 && scheduled !== undefined) schedule()
    })
    if (calls.length > 0) schedule()
  }

  /** Those that waited first, as many as a batch may have. */
  function takeBatch(): { batch: Call<Input, Output>[]; heavy: number } {
    let count = 0
    let heavy = 0
    for (const call of calls) {
      if (count === maxSize || (weight && count > 0 && heavy + call.weight > weight.max)) break
      count += 1
      heavy += call.weight
    }
    gathered -= heavy
    return { batch: calls.splice(0, count), heavy }
  }

  function msUntilRoom(): number {
    if (!parallel || running < parallel.max || underWay <= parallel.light) return 0
    return lastAt + parallel.waitMs - performance.now()
  }

  function isPatient(): boolean {
    return patience !== undefined && !urgent && calls.length < patience.fewerThan
  }

  function schedule() {
    cancel(scheduled)
    const gatherFor = whenIdle && running === 0 ? 0 : gatherMs
    const distance = (isPatient() && patience?.distanceMs) || distanceMs
    const keepAwayFor = distance > 0 && !afterPause ? lastAt + distance - performance.now() : 0
    const waitMs = Math.max(gatherFor, keepAwayFor)
    scheduled = waitMs > 0 ? setTimeout(flush, waitMs) : setImmediate(flush)
  }

  return (input) => {
    const caller = Promise.withResolvers<Output>()
    const heavy = weight?.of(input) ?? 0
    if (weight && gathered + heavy > weight.max && !awaitsRoom) flush()
    const wasPatient = isPatient()
    calls.push({ input, weight: heavy, caller })
    gathered += heavy
    if (patience?.isUrgent(input)) urgent = true
    if (awaitsRoom) return caller.promise
    if (calls.length >= maxSize) flush()
    else if (scheduled === undefined || (wasPatient && !isPatient())) schedule()
    return caller.promise
  }
}

/** Answers every call. The halves go one after the other, so that what the calls do happens in their order. */
async function settle<Input, Output>(
  run: Run<Input, Output>,
  calls: readonly Call<Input, Output>[],
  isolate: BatchOptions<Input>['isolate'],
): Promise<void> {
  try {
    const outputs = await run(calls.map(({ input }) => input))
    for (const [i, { caller }] of calls.entries()) caller.resolve(outputs[i] as Output)
  } catch (error) {
    if (calls.length > 1 && isolate?.(error)) {
      const half = Math.ceil(calls.length / 2)
      await settle(run, calls.slice(0, half), isolate)
      await settle(run, calls.slice(half), isolate)
    } else {
      for (const { caller } of calls) caller.reject(error)
    }
  }
}

function cancel(scheduled: NodeJS.Timeout | NodeJS.Immediate | undefined): void {
  if (scheduled === undefined) return
  if ('ref' in scheduled && 'refresh' in scheduled) clearTimeout(scheduled)
  else clearImmediate(scheduled as NodeJS.Immediate)
}
