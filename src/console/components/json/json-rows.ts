/** One line of a tree of JSON. */
export interface JsonRow {
  /** Where it is: a JSON pointer (RFC 6901), which is empty for the whole. */
  readonly path: string
  readonly parent: string | null
  readonly level: number
  /** As JSON writes it, or the index in an array. Null for the whole. */
  readonly key: string | null
  readonly value: unknown
  /** How many are in it; null for what has no parts. */
  readonly size: number | null
  readonly isOpen: boolean
  readonly position: number
  readonly siblings: number
  /** Not a value, but how many more there are. */
  readonly rest: number | null
}

/** So many parts of one value are shown until one asks for more. */
export const PARTS_AT_ONCE = 100

export interface JsonFolding {
  readonly open: ReadonlySet<string>
  /** How many parts are shown, where it is another number than `PARTS_AT_ONCE`. */
  readonly parts: ReadonlyMap<string, number>
}

/** The lines that are not folded away, from top to bottom. */
export function visibleRows(root: unknown, { open, parts }: JsonFolding): JsonRow[] {
  const rows: JsonRow[] = []
  function add(row: Pick<JsonRow, 'path' | 'parent' | 'level' | 'key' | 'value'>, place: Place) {
    const { path, level, value } = row
    const entries = entriesOf(value)
    const isOpen = entries !== null && open.has(path)
    rows.push({ ...row, ...place, size: entries?.length ?? null, isOpen, rest: null })
    if (!isOpen) return
    const shown = parts.get(path) ?? PARTS_AT_ONCE
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

interface Place {
  readonly position: number
  readonly siblings: number
}

/** What is opened, from the outside in, as long as there are at most so many lines. What is large stays folded. */
export function openUpTo(root: unknown, maxRows: number, maxParts: number): Set<string> {
  const open = new Set<string>()
  let rows = 1
  const queue: [path: string, value: unknown][] = [['', root]]
  for (const [path, value] of queue) {
    const entries = entriesOf(value)
    if (!entries || entries.length === 0) continue
    const added = Math.min(entries.length, PARTS_AT_ONCE)
    if (path !== '' && (entries.length > maxParts || rows + added > maxRows)) continue
    open.add(path)
    rows += added
    for (const [key, part] of entries.slice(0, PARTS_AT_ONCE)) {
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

/** What cannot be seen, or turns the direction of the text around. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** A string as JSON writes it, with everything in it visible. */
export function visibleString(text: string): string {
  return JSON.stringify(text).replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
