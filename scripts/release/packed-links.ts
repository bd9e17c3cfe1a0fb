import path from 'node:path'
import { withLinks } from '../site/links.ts'

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
  // The package has no pictures.
  return withLinks(text.replaceAll(PICTURE, '$1'), (target) => {
    const [linked = '', anchor = ''] = target.split(/(?=#)/)
    const found = path.posix.join(path.posix.dirname(file), linked).replace(/\/$/, '')
    if (!files.some((one) => one === found || one.startsWith(`${found}/`))) return null
    return `${path.posix.relative(folder, moved[found] ?? found)}${anchor}`
  })
}

/** A picture in two themes, within a link. */
const PICTURE =
  /<a href="[^"]+">\s*<picture>(?:(?!<\/picture>).)*alt="([^"]*)"(?:(?!<\/picture>).)*<\/picture>\s*<\/a>/gs
