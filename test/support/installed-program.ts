import { existsSync } from 'node:fs'
import path from 'node:path'

const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(path.delimiter),
  '/usr/sbin',
  '/usr/local/bin',
]

/** The path of an installed program, or undefined. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}

/** Why tests with the program are skipped, or null. In CI they fail instead. Default: Debian's package of its name. */
export function whyMissing(name: string, install = `apt-get install ${name}`): string | null {
  if (findProgram(name) !== undefined || process.env['CI']) return null
  return `${name} is not installed (${install})`
}
