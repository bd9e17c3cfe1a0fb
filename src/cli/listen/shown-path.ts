import path from 'node:path'

/** A path as one would type it: relative to where one is, unless that leads upwards. */
export function shownPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') ? file : relative
}
