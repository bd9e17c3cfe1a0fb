/** How long this process had no time for its timers until `ended`, in total. A busy machine delays any request by this. */
export async function measureBusyMs(ended: Promise<unknown>): Promise<number> {
  let isEnded = false
  let busyMs = 0
  const end = () => {
    isEnded = true
  }
  ended.then(end, end)
  while (!isEnded) {
    const before = performance.now()
    await new Promise((resolve) => setTimeout(resolve, TIMER_MS))
    const lateMs = performance.now() - before - TIMER_MS
    if (lateMs > USUAL_MS) busyMs += lateMs
  }
  return busyMs
}

const TIMER_MS = 1
/** A timer is up to this late on a machine without other work. */
const USUAL_MS = 2
