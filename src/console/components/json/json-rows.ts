/** One row of a JSON tree. */
export interface JsonRow {
  /** A JSON pointer (RFC 6901). Empty for the root. */
  readonly path: string
  readonly parent: string | null
  readonly level: number
  /** The property name in JSON notation, or the array index. Null for the root. */
  readonly key: string | null
  readonly value: unknown
  /** The number of properties or items. Null for other values. */
  readonly size: number | null
  readonly isOpen: boolean
  readonly position: number
  readonly siblings: number
  /** The number of parts not shown, in a row that stands for them. Null for a row with a value. */
  readonly rest: number | null
}

/** How many parts of one value are shown at first, and how many each click adds. */
export const PARTS_PER_PAGE = 100

export interface JsonFolding {
  readonly open: ReadonlySet<string>
  /** How many parts of a value are shown, where not `PARTS_PER_PAGE`. */
  readonly parts: ReadonlyMap<string, number>
}

/** The rows that are not folded away, from top to bottom. */
export function visibleRows(root: unknown, { open, parts }: JsonFolding): JsonRow[] {
  const rows: JsonRow[] = []
  function add(row: Pick<JsonRow, 'path' | 'parent' | 'level' | 'key' | 'value'>, at: Position) {
    const { path, level, value } = row
    const entries = entriesOf(value)
    const isOpen = entries !== null && open.has(path)
    rows.push({ ...row, ...at, size: entries?.length ?? null, isOpen, rest: null })
    if (!isOpen) return
    const shown = parts.get(path) ?? PARTS_PER_PAGE
    const siblings = Math.min(entries.length, shown + 1)
    for (const [index, [key, part]] of entries.slice(0, shown).entries()) {
      const name = Array.isArray(value) ? key : visibleString(key)
      const below = { path: childPath(path, key), parent: path, level: level + 1 }
      add({ ...below, key: name, value: part }, { position: index + 1, siblings })
    }
    if (entries.length <= shown) return
    rows.push({
      path: `${path}/…`,
      parent: path,
      level: level + 1,
      key: null,
      value: null,
      size: null,
      isOpen: false,
      position: siblings,
      siblings,
      rest: entries.length - shown,
    })
  }
  add({ path: '', parent: null, level: 1, key: null, value: root }, { position: 1, siblings: 1 })
  return rows
}

interface Position {
  readonly position: number
  readonly siblings: number
}

/** Opens values breadth first, up to `maxRows` rows. Values with more than `maxParts` parts stay folded. */
export function openUpTo(root: unknown, maxRows: number, maxParts: number): Set<string> {
  const open = new Set<string>()
  let rows = 1
  const queue: [path: string, value: unknown][] = [['', root]]
  for (const [path, value] of queue) {
    const entries = entriesOf(value)
    if (!entries || entries.length === 0) continue
    const added = Math.min(entries.length, PARTS_PER_PAGE)
    if (path !== '' && (entries.length > maxParts || rows + added > maxRows)) continue
    open.add(path)
    rows += added
    for (const [key, part] of entries.slice(0, PARTS_PER_PAGE)) {
      queue.push([childPath(path, key), part])
    }
  }
  return open
}

function entriesOf(value: unknown): [string, unknown][] | null {
  return typeof value === 'object' && value !== null ? Object.entries(value) : null
}

const childPath = (path: string, key: string) =>
  `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Invisible characters, and characters that change the direction of text. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** A string in JSON notation, with invisible characters escaped. */
export function visibleString(text: string): string {
  return JSON.stringify(text).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
