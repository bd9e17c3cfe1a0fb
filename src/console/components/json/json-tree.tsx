import './json-tree.css'
import {
  type Dispatch,
  type KeyboardEvent,
  memo,
  type SetStateAction,
  useMemo,
  useRef,
  useState,
} from 'react'
import { counted, formatCount } from '../../lib/format.ts'
import {
  type JsonFolding,
  type JsonRow,
  openUpTo,
  PARTS_PER_PAGE,
  visibleRows,
  visibleString,
} from './json-rows.ts'

interface JsonTreeProps {
  readonly label: string
  readonly value: unknown
  readonly folding: JsonFolding
  readonly setFolding: Dispatch<SetStateAction<JsonFolding>>
}

/** How much is unfolded initially, and how much at most by "Unfold all". */
const FIRST_ROWS = 80
const FIRST_PARTS = 30
const MOST_ROWS = 1_000

export const initialFolding = (value: unknown): JsonFolding => ({
  open: openUpTo(value, FIRST_ROWS, FIRST_PARTS),
  parts: new Map(),
})
export const unfoldAll = (value: unknown): JsonFolding => ({
  open: openUpTo(value, MOST_ROWS, Number.POSITIVE_INFINITY),
  parts: new Map(),
})
export const foldAll = (): JsonFolding => ({ open: new Set(['']), parts: new Map() })

/**
 * JSON as a foldable tree with the keys of a tree view: up and down move, right opens, left closes, Enter toggles.
 * https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */
export function JsonTree({ label, value, folding, setFolding }: JsonTreeProps) {
  const rows = useMemo(() => visibleRows(value, folding), [value, folding])
  const [current, setCurrent] = useState('')
  const tree = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === current),
  )

  function focus(index: number) {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))]
    if (!row) return
    setCurrent(row.path)
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[rows.indexOf(row)]?.focus()
  }

  /** Takes the current folding as an argument: an unchanged row is not rendered again and keeps its first handler. */
  const toggle = (row: JsonRow) => setFolding((now) => toggled(now, row))

  function move(event: KeyboardEvent) {
    const row = rows[at]
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return
    const isBranch = row.size !== null && row.size > 0
    const keys: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (isBranch ? (row.isOpen ? focus(at + 1) : toggle(row)) : undefined),
      ArrowLeft: () =>
        row.isOpen ? toggle(row) : focus(rows.findIndex(({ path }) => path === row.parent)),
      Enter: () => toggle(row),
      ' ': () => toggle(row),
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }

  return (
    <div className="ph-json" role="tree" aria-label={label} ref={tree} onKeyDown={move}>
      {rows.map((row, index) => (
        <Row
          key={row.path}
          row={row}
          isCurrent={index === at}
          isWhole={folding.open.has(row.path)}
          onClick={() => {
            setCurrent(row.path)
            toggle(row)
          }}
        />
      ))}
    </div>
  )
}

function toggled(folding: JsonFolding, { path, parent, size, rest, value }: JsonRow): JsonFolding {
  const open = new Set(folding.open)
  const parts = new Map(folding.parts)
  if (rest !== null && parent !== null) {
    parts.set(parent, (parts.get(parent) ?? PARTS_PER_PAGE) + PARTS_PER_PAGE)
  } else if (size !== null || typeof value === 'string') {
    if (!open.delete(path)) open.add(path)
  }
  return { open, parts }
}

interface RowProps {
  readonly row: JsonRow
  readonly isCurrent: boolean
  /** Whether a long text is shown in full. */
  readonly isWhole: boolean
  onClick(): void
}

const Row = memo(
  function Row({ row, isCurrent, isWhole, onClick }: RowProps) {
    const { key, level, size, isOpen, position, siblings, rest } = row
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its items
      <div
        role="treeitem"
        tabIndex={isCurrent ? 0 : -1}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={siblings}
        aria-expanded={size !== null && size > 0 ? isOpen : undefined}
        aria-selected={isCurrent}
        style={{ paddingInlineStart: `${Math.min(level - 1, 24) * 1.1 + 0.25}rem` }}
        onClick={onClick}
      >
        <span className="ph-json-arrow" aria-hidden>
          {size !== null && size > 0 ? (isOpen ? '▾' : '▸') : ''}
        </span>
        {key !== null && <span className="ph-json-key">{key}: </span>}
        {rest === null ? (
          <Value row={row} isWhole={isWhole} />
        ) : (
          <span className="ph-json-more">{`${formatCount(rest)} more: show`}</span>
        )}
      </div>
    )
  },
  (before, after) =>
    before.isCurrent === after.isCurrent &&
    before.isWhole === after.isWhole &&
    before.row.value === after.row.value &&
    before.row.isOpen === after.row.isOpen &&
    before.row.rest === after.row.rest &&
    before.row.siblings === after.row.siblings,
)

const LONG_TEXT = 300

function Value({ row: { value, size }, isWhole }: { row: JsonRow; isWhole: boolean }) {
  if (size !== null) {
    const [open, close, words] = Array.isArray(value)
      ? ['[', ']', `${counted(size, 'item', 'items')}`]
      : ['{', '}', `${counted(size, 'field', 'fields')}`]
    return (
      <span className="ph-json-size">
        {size === 0 ? `${open}${close}` : `${open}…${close} ${words}`}
      </span>
    )
  }
  if (typeof value !== 'string') return <span className="ph-json-word">{String(value)}</span>
  if (value.length <= LONG_TEXT || isWhole) {
    return <bdi className="ph-json-text">{visibleString(value)}</bdi>
  }
  return (
    <>
      <bdi className="ph-json-text">{visibleString(value.slice(0, LONG_TEXT)).slice(0, -1)}…</bdi>{' '}
      <span className="ph-json-more">
        {`${formatCount(value.length - LONG_TEXT)} more characters: show all`}
      </span>
    </>
  )
}
