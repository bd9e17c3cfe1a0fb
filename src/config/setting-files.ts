import { readFileSync } from 'node:fs'

/** Messages never show the values of these settings. */
export const SECRET_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'POSTHORN_DIRECT_DATABASE_URL',
  'POSTHORN_ENCRYPTION_KEYS',
  'POSTHORN_EGRESS_PROXY',
  'POSTHORN_OIDC_CLIENT_SECRET',
  'POSTHORN_SMTP_URL',
]

export type Environment = Readonly<Record<string, string | undefined>>

interface WithFiles {
  readonly environment: Environment
  /** The settings whose files cannot be used. */
  readonly unreadable: ReadonlySet<string>
}

/**
 * Reads the settings that are in files: `<setting>_FILE` is the path of a file that holds the value of the setting. Appends a
 * problem for each file that cannot be used.
 */
export function readSettingFiles(
  environment: Environment,
  settings: readonly string[],
  problems: string[],
): WithFiles {
  const values: Record<string, string> = {}
  const unreadable = new Set<string>()
  for (const name of settings) {
    const file = environment[`${name}_FILE`]?.trim() ?? ''
    if (file === '') continue
    try {
      if ((environment[name]?.trim() ?? '') !== '') {
        throw new Error(`${name} is set, too. Remove one of the two.`)
      }
      values[name] = readValue(file)
    } catch (error) {
      unreadable.add(name)
      problems.push(`${name}_FILE is ${JSON.stringify(file)}: ${(error as Error).message}`)
    }
  }
  return { environment: { ...environment, ...values }, unreadable }
}

function readValue(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `the file cannot be read (${code}). Give the path of a file that Posthorn's user can read.`,
    )
  }
  const value = text.replace(/\r?\n$/, '')
  if (value.trim() === '') throw new Error('the file is empty. Write the value into it.')
  return value
}
