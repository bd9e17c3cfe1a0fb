import type { TaskFieldsFragment } from '../generated/graphql.ts'

interface TaskPart {
  readonly name: 'changed' | 'left' | 'skipped'
  readonly count: number
  /** A CSS color. */
  readonly color: string
}

type Counts = Pick<TaskFieldsFragment, 'state' | 'total' | 'changed'>

/** How far a bulk action is, without what does not occur. */
export function partsOf({ state, total, changed }: Counts): readonly TaskPart[] {
  const others = Math.max(0, total - changed)
  const parts: readonly TaskPart[] = [
    { name: 'changed', count: changed, color: 'var(--posthorn-mark-green)' },
    { name: 'left', count: state === 'RUNNING' ? others : 0, color: 'var(--posthorn-line)' },
    { name: 'skipped', count: state === 'COMPLETED' ? others : 0, color: 'var(--posthorn-line)' },
  ]
  return parts.filter(({ count }) => count > 0)
}
