import type { TaskFieldsFragment } from '../generated/graphql.ts'

interface TaskPart {
  readonly name: 'delivered' | 'failed' | 'canceled' | 'waiting' | 'left' | 'skipped'
  readonly count: number
  /** A CSS color. */
  readonly color: string
}

const COLORS = {
  delivered: 'var(--posthorn-mark-green)',
  failed: 'var(--posthorn-mark-red)',
  canceled: 'var(--posthorn-mark-gray)',
  waiting: 'var(--posthorn-mark-violet)',
  left: 'var(--posthorn-line)',
  skipped: 'var(--posthorn-line)',
} as const

type Counts = Pick<
  TaskFieldsFragment,
  'state' | 'total' | 'changed' | 'succeeded' | 'exhausted' | 'canceled' | 'unfinished'
>

/** What became of the deliveries of a bulk action, without what does not occur. */
export function partsOf(task: Counts): readonly TaskPart[] {
  const { state, total, changed, succeeded, exhausted, canceled, unfinished } = task
  const others = Math.max(0, total - changed)
  const isRunning = state === 'RUNNING'
  const ended = state === 'DELIVERING' || state === 'COMPLETED'
  const counts: Record<TaskPart['name'], number> = {
    delivered: succeeded,
    failed: exhausted,
    canceled,
    waiting: unfinished,
    left: isRunning ? others : 0,
    skipped: ended ? others : 0,
  }
  return (Object.keys(counts) as TaskPart['name'][]).flatMap((name) =>
    counts[name] > 0 ? { name, count: counts[name], color: COLORS[name] } : [],
  )
}
