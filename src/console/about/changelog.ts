/** One version of the changelog. */
export interface Release {
  /** `Unreleased`, or `0.1.0 - 2026-01-31`. */
  readonly name: string
  readonly groups: readonly { readonly title: string; readonly items: readonly string[] }[]
}

/** The releases of a changelog in the form of Keep a Changelog, newest first, without empty ones. A group is its lowest heading. */
export function readChangelog(text: string): Release[] {
  const releases: { name: string; groups: { title: string; items: string[] }[] }[] = []
  for (const line of text.split('\n')) {
    const [, marks = '', heading = ''] = /^(#{2,4}) (.*)$/.exec(line) ?? []
    const release = releases.at(-1)
    if (marks === '##') releases.push({ name: heading.replaceAll(/[[\]]/g, ''), groups: [] })
    else if (marks) release?.groups.push({ title: heading, items: [] })
    else if (line.startsWith('- ')) release?.groups.at(-1)?.items.push(line.slice(2))
  }
  return releases
    .map(({ name, groups }) => ({ name, groups: groups.filter(({ items }) => items.length > 0) }))
    .filter(({ groups }) => groups.length > 0)
}

export interface Span {
  readonly kind: 'text' | 'code' | 'emphasis'
  readonly text: string
}

const MARKED = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)/g

/** The spans of a line. A link is its text: its target is a file that the console does not serve. */
export function spansOf(line: string): Span[] {
  const spans: Span[] = []
  let from = 0
  for (const match of line.matchAll(MARKED)) {
    const [whole, code, strong, emphasis, link] = match
    if (match.index > from) spans.push({ kind: 'text', text: line.slice(from, match.index) })
    if (code) spans.push({ kind: 'code', text: code })
    else if (strong || emphasis) spans.push({ kind: 'emphasis', text: strong ?? emphasis ?? '' })
    else spans.push({ kind: 'text', text: (link ?? '').replaceAll('`', '') })
    from = match.index + whole.length
  }
  if (from < line.length) spans.push({ kind: 'text', text: line.slice(from) })
  return spans
}
