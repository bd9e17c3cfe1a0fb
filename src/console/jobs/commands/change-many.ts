import type { Outcome } from '../../api/use-action.ts'
import type { JobsChangeFragment } from '../../generated/graphql.ts'

/** The most jobs that one command changes. */
export const MAX_JOBS = 10_000
/** The API changes at most this many at a time. */
export const PAGE = 100

export interface IdsPage {
  readonly ids: readonly string[]
  /** Where the next page begins. Null after the last one. */
  readonly next: string | null
}

type Changes = { readonly changes: readonly JobsChangeFragment[] }

interface ChangeMany {
  /** Reads the ids of a page. Throws an error whose message names the reason. */
  page(after: string | null): Promise<IdsPage>
  change(ids: readonly string[]): Promise<Outcome<Changes>>
  readonly signal: AbortSignal
  /** Called with the number of changed jobs after each page. */
  report(count: number): void
}

export interface ManyChanges {
  readonly changes: readonly JobsChangeFragment[]
  /** Why it ended before all were changed. Null if it did not. */
  readonly ended: 'limit' | 'stopped' | { readonly reason: string } | null
}

/** Runs a command on all jobs that match, page by page. What is done stays done, however it ends. */
export async function changeMany(options: ChangeMany): Promise<ManyChanges> {
  const { page, change, signal, report } = options
  const changes: JobsChangeFragment[] = []
  let after: string | null = null
  do {
    if (signal.aborted) return { changes, ended: 'stopped' }
    if (changes.length >= MAX_JOBS) return { changes, ended: 'limit' }
    let read: IdsPage
    try {
      read = await page(after)
    } catch (error) {
      return { changes, ended: { reason: (error as Error).message } }
    }
    if (read.ids.length > 0) {
      const outcome = await change(read.ids)
      if (!outcome.ok) return { changes, ended: { reason: outcome.message } }
      changes.push(...outcome.value.changes)
      report(changes.length)
    }
    after = read.next
  } while (after !== null)
  return { changes, ended: null }
}
