interface Stream {
  isAccepted: boolean
  readonly followers: Set<() => void>
}

/** By the key of the request. All that follow the same stream share one request. */
const streams = new Map<number, Stream>()

/** Calls `onAccepted` once the server accepts the stream, or at once if it has. Returns what ends this. */
export function followStream(key: number, onAccepted: () => void): () => void {
  const stream = streams.get(key) ?? { isAccepted: false, followers: new Set() }
  streams.set(key, stream)
  stream.followers.add(onAccepted)
  if (stream.isAccepted) onAccepted()
  return () => {
    stream.followers.delete(onAccepted)
    if (stream.followers.size === 0 && streams.get(key) === stream) streams.delete(key)
  }
}

/** Tells all followers of a stream that the server has accepted it. */
export function noteAcceptance(key: number): void {
  const stream = streams.get(key)
  if (!stream) return
  stream.isAccepted = true
  for (const onAccepted of stream.followers) onAccepted()
}
