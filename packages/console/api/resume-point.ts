/** What a stream needs to know about an item to resume after it. */
export interface LiveItem {
  /** Differs for each item: a resumed stream repeats some. */
  readonly id: string
  /** The value of the argument `after` with which the stream resumes behind this item. */
  readonly after: string
}

/** Where a stream resumes, and which items it has delivered. */
interface ResumePoint {
  /** Null before the first item. */
  readonly after: string | null
  /** Remembers an item. Returns false if the stream has delivered it before. */
  accept(item: LiveItem): boolean
  /** Lets the stream begin without `after`. */
  forget(): void
}

/** The server repeats no more: it asks for a reload instead. */
const MAX_REPEATED = 10_000

export function createResumePoint(): ResumePoint {
  const delivered = new Set<string>()
  let after: string | null = null
  return {
    get after() {
      return after
    },
    accept(item) {
      if (delivered.has(item.id)) return false
      delivered.add(item.id)
      if (delivered.size > MAX_REPEATED) delivered.delete(delivered.values().next().value ?? '')
      after = item.after
      return true
    },
    forget() {
      after = null
    },
  }
}

interface AttemptData {
  readonly attemptRecorded?: { readonly id: string } | null | undefined
}

/** For `attemptRecorded`. Null if the attempt was deleted in the meantime. */
export function resumeAfterAttempt({ attemptRecorded }: AttemptData): LiveItem | null {
  return attemptRecorded ? { id: attemptRecorded.id, after: attemptRecorded.id } : null
}
