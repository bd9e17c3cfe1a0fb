import { readFileSync } from 'node:fs'

/** Messages never show the values of these settings. A file can hold each: its path is the value of `<setting>_FILE`. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'POSTHORN_DIRECT_DATABASE_URL',
  'POSTHORN_ENCRYPTION_KEYS',
  'POSTHORN_EGRESS_PROXY',
  'POSTHORN_OIDC_CLIENT_SECRET',
  'POSTHORN_SMTP_URL',
] as const

export type Environment = Readonly<Record<string, string | undefined>>

export interface WithSecrets {
  readonly environment: Environment
  /** The settings whose files cannot be used. */
  readonly unreadable: ReadonlySet<string>
}

/** Reads the secrets that are in files. Appends a problem for each file that cannot be used. */
export function readSecretFiles(environment: Environment, problems: string[]): WithSecrets {
  const secrets: Record<string, string> = {}
  const unreadable = new Set<string>()
  for (const name of SECRET_SETTINGS) {
    const file = environment[`${name}_FILE`]?.trim() ?? ''
    if (file === '') continue
    try {
      if ((environment[name]?.trim() ?? '') !== '') {
        throw new Error(`${name} is set, too. Remove one of the two.`)
      }
      secrets[name] = readSecret(file)
    } catch (error) {
      unreadable.add(name)
      problems.push(`${name}_FILE is ${JSON.stringify(file)}: ${(error as Error).message}`)
    }
  }
  return { environment: { ...environment, ...secrets }, unreadable }
}

function readSecret(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `the file cannot be read (${code}). Give the path of a file that Posthorn's user can read.`,
    )
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret.trim() === '') throw new Error('the file is empty. Write the value into it.')
  return secret
}
