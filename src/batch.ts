export interface BatchOptions {
  /** How long the first call of a batch waits for others to join; 0: until the end of the current tick. */
  readonly gatherMs: number
  /** A batch of this size goes at once. */
  readonly maxSize: number
}

/**
 * Turns many concurrent calls into few: calls made close together run as one, and each gets its own answer.
 * `run` answers one result for each input, in order; when it throws, every call of that batch does.
 */
export function batched<Input, Output>(
  run: (inputs: Input[]) => Promise<readonly Output[]>,
  options: BatchOptions,
): (input: Input) => Promise<Output> {
  let inputs: Input[] = []
  let callers: PromiseWithResolvers<Output>[] = []
  let scheduled: NodeJS.Timeout | NodeJS.Immediate | undefined

  function flush() {
    cancel(scheduled)
    scheduled = undefined
    const [batch, waiting] = [inputs, callers]
    inputs = []
    callers = []
    // What `run` throws at once must reach its callers too; there is nobody else to catch it.
    new Promise<readonly Output[]>((resolve) => resolve(run(batch))).then(
      (outputs) => {
        for (let i = 0; i < waiting.length; i++) waiting[i]?.resolve(outputs[i] as Output)
      },
      (error) => {
        for (const caller of waiting) caller.reject(error)
      },
    )
  }

  return (input) => {
    const caller = Promise.withResolvers<Output>()
    inputs.push(input)
    callers.push(caller)
    if (inputs.length >= options.maxSize) flush()
    else
      scheduled ??= options.gatherMs > 0 ? setTimeout(flush, options.gatherMs) : setImmediate(flush)
    return caller.promise
  }
}

function cancel(scheduled: NodeJS.Timeout | NodeJS.Immediate | undefined): void {
  if (scheduled === undefined) return
  if ('ref' in scheduled && 'refresh' in scheduled) clearTimeout(scheduled)
  else clearImmediate(scheduled as NodeJS.Immediate)
}
