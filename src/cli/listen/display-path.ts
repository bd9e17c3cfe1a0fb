import path from 'node:path'

/** A path for messages: relative to the working directory if the file is inside it. */
export function displayPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') ? file : relative
}
