import path from 'node:path'

interface PackedPage {
  /** The path of the page in the repository. */
  readonly file: string
  /** The files of the repository that the package has. */
  readonly files: readonly string[]
  /** Where the package has a file, if not at the same path. */
  readonly moved: Readonly<Record<string, string>>
}

/** A page of the repository as the package has it: a link to a file that the package does not have becomes its text. */
export function withPackedLinks(text: string, { file, files, moved }: PackedPage): string {
  const folder = path.posix.dirname(moved[file] ?? file)
  const repair = (link: string, mark: string, label: string, target: string) => {
    const [linked = '', anchor = ''] = target.split(/(?=#)/)
    if (linked.startsWith('#') || /^[a-z]+:/.test(linked)) return link
    const found = path.posix.join(path.posix.dirname(file), linked).replace(/\/$/, '')
    if (!files.some((one) => one === found || one.startsWith(`${found}/`))) return label
    return `${mark}[${label}](${path.posix.relative(folder, moved[found] ?? found)}${anchor})`
  }
  // Pictures first: a link may have one for its text.
  return text.replaceAll(PICTURE, repair).replaceAll(LINK, repair)
}

const PICTURE = /(!)\[([^\][]*)\]\(([^)\s]+)\)/g

const LINK = /(?<!!)()\[((?:[^\][]|!\[[^\][]*\])*)\]\(([^)\s]+)\)/g
