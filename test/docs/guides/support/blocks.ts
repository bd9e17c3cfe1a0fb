import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../../support/reader.ts'

/** A block of code in a guide. */
export interface GuideBlock {
  readonly language: string
  readonly text: string
  /** The file that a reader pastes the block into: the line above ends with "in `receiver.ts`:". Null for all others. */
  readonly file: string | null
}

/** The blocks of a guide, such as `publish` for `docs/guides/publish.md`, in reading order. */
export function blocksOf(guide: string): readonly GuideBlock[] {
  const page = readFileSync(path.join(ROOT, 'docs/guides', `${guide}.md`), 'utf8')
  return [...page.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)^```/gms)].map(
    ([, before = '', language = '', text = '']) => ({
      language,
      text,
      file: /\b[Ii]n `([\w./-]+)`:$/.exec(before)?.[1] ?? null,
    }),
  )
}

/** Whether every line of a block of output was printed, in order. `…` stands for any text. */
export function isPrinted(block: string, output: string): boolean {
  const lines = output.split('\n')
  let from = 0
  return block
    .trimEnd()
    .split('\n')
    .every((line) => {
      const pattern = new RegExp(`^${line.split('…').map(escapePattern).join('.*')}$`)
      const found = lines.findIndex((printed, i) => i >= from && pattern.test(printed))
      from = found + 1
      return found >= 0
    })
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
