/**
 * What a selection chooses of an object: fields, and fields of each type that the object may have. A field without
 * either is a value.
 */
export interface Chosen {
  readonly fields: ReadonlyMap<string, Chosen>
  readonly members: ReadonlyMap<string, Chosen>
}

export const NOTHING: Chosen = { fields: new Map(), members: new Map() }

export const isEmpty = ({ fields, members }: Chosen) => fields.size + members.size === 0

const TOKEN = /[\s,]*(\.\.\.|[{}]|[_A-Za-z]\w*|\S)/y
const NAME = /^[_A-Za-z]\w*$/

/**
 * Reads the selections that the tree of fields can show: names and inline fragments. Null for every other text, such as
 * one with an alias, a directive, a comment or a fragment with a name.
 */
export function readSelection(text: string): Chosen | null {
  if (text.trim() === '') return NOTHING
  const tokens = tokensOf(text)
  let at = 0

  function object(): Chosen | null {
    if (tokens[at++] !== '{') return null
    const fields = new Map<string, Chosen>()
    const members = new Map<string, Chosen>()
    while (at < tokens.length && tokens[at] !== '}') {
      const isMember = tokens[at] === '...'
      if (isMember && tokens[at + 1] !== 'on') return null
      if (isMember) at += 2
      const name = tokens[at++] ?? ''
      const target = isMember ? members : fields
      if (!NAME.test(name) || target.has(name)) return null
      const inner = tokens[at] === '{' ? object() : isMember ? null : NOTHING
      if (inner === null) return null
      target.set(name, inner)
    }
    return tokens[at++] === '}' && fields.size + members.size > 0 ? { fields, members } : null
  }

  const chosen = object()
  return at === tokens.length ? chosen : null
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) tokens.push(found[1] ?? '')
  return tokens
}

/** The text of a selection. Empty if nothing is chosen. */
export function printSelection(chosen: Chosen): string {
  return isEmpty(chosen) ? '' : printed(chosen, 0)
}

function printed({ fields, members }: Chosen, depth: number): string {
  const space = '  '.repeat(depth + 1)
  const line = (name: string, part: Chosen) =>
    `${space}${name}${isEmpty(part) ? '' : ` ${printed(part, depth + 1)}`}`
  const lines = [
    ...[...fields].map(([name, part]) => line(name, part)),
    ...[...members].map(([name, part]) => line(`... on ${name}`, part)),
  ]
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

/**
 * Sets or, with null, removes a field or a member. Known names are in the order of the schema. Null if nothing is left.
 */
export function withPart(
  chosen: Chosen | null,
  kind: keyof Chosen,
  name: string,
  part: Chosen | null,
  order: readonly string[],
): Chosen | null {
  const { fields, members } = chosen ?? NOTHING
  const parts = new Map((chosen ?? NOTHING)[kind])
  if (part === null) parts.delete(name)
  else parts.set(name, part)
  const placeOf = (one: string) => (order.includes(one) ? order.indexOf(one) : order.length)
  const sorted = new Map([...parts].toSorted(([one], [other]) => placeOf(one) - placeOf(other)))
  const next = { fields, members, [kind]: sorted }
  return isEmpty(next) ? null : next
}
