import { SHARE_OF_FREE } from '../../scheduling/concurrency-limiter.ts'

export type PayloadMemory = ReturnType<typeof createPayloadMemory>

interface Waiting {
  readonly organizationId: string
  readonly bytes: number
  readonly start: () => void
}

/**
 * The memory of the large payloads that are being sent. An organization leaves some of the memory free for the next one, as
 * with the attempts in flight, so that its large payloads for slow endpoints delay no others.
 */
export function createPayloadMemory(totalBytes: number) {
  const usedByOrganization = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let used = 0

  function hasRoom({ organizationId, bytes }: Waiting): boolean {
    const own = usedByOrganization.get(organizationId) ?? 0
    return own + bytes <= SHARE_OF_FREE * (totalBytes - used - bytes)
  }

  function add(organizationId: string, bytes: number): void {
    const own = (usedByOrganization.get(organizationId) ?? 0) + bytes
    if (own === 0) usedByOrganization.delete(organizationId)
    else usedByOrganization.set(organizationId, own)
    used += bytes
  }

  /** In the order of each organization, so that small payloads do not overtake a large one for ever. */
  function startReady(): void {
    const full = new Set<string>()
    for (const next of waiting) {
      if (full.has(next.organizationId)) continue
      if (!hasRoom(next)) {
        full.add(next.organizationId)
        continue
      }
      waiting.delete(next)
      add(next.organizationId, next.bytes)
      next.start()
    }
  }

  return {
    /** Waits for room. Call the function that it resolves to when the payload is no longer in memory. */
    acquire(organizationId: string, bytes: number): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<() => void>()
      const start = () =>
        resolve(() => {
          add(organizationId, -bytes)
          startReady()
        })
      waiting.add({ organizationId, bytes, start })
      startReady()
      return promise
    },
  }
}
