/** A line of two texts: in both, or in one of them only. */
export interface DifferentLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Longer texts are compared as a whole: the comparison takes the product of both lengths. */
const MAX_LINES = 1_000

/** What was removed from a text and added to it, line by line, with as few changes as possible. */
export function differenceOfLines(before: string, after: string): DifferentLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const isLong = old.length > MAX_LINES || now.length > MAX_LINES
  const common = isLong ? null : commonAfter(old, now)
  const lines: DifferentLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [removed, added] = [old[i], now[j]]
    if (removed !== undefined && removed === added) {
      lines.push({ kind: 'same', text: removed })
      i++
      j++
    } else if (added === undefined || (removed !== undefined && keeps(common, i, j))) {
      lines.push({ kind: 'removed', text: removed ?? '' })
      i++
    } else {
      lines.push({ kind: 'added', text: added })
      j++
    }
  }
  return lines
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))

/** Whether the line of the old text can go without losing a common line. */
const keeps = (common: readonly Uint16Array[] | null, i: number, j: number) =>
  common === null || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)

/** The most common lines that are left from each pair of places on. */
function commonAfter(old: readonly string[], now: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [table[i], table[i + 1]] as [Uint16Array, Uint16Array]
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] =
        old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}
