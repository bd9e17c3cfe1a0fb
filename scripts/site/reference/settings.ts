import { ConfigError, loadConfig, SETTINGS, type SettingName } from '../../../src/config/config.ts'
import { SETTING_DESCRIPTIONS } from '../../../src/config/print-example.ts'
import { SECRET_SETTINGS } from '../../../src/config/setting-files.ts'
import { code, page, prose } from './markdown.ts'

export function settingsPage(): string {
  return page(
    '# Settings',
    'Settings are environment variables. Posthorn also reads them from a file `.env` in the working directory; the environment takes precedence. An invalid value, or an unknown name that begins with `POSTHORN_`, is an error at the start that names each; `POSTHORN_URL` and `POSTHORN_API_KEY` are for programs that call Posthorn. [Operating](../operate/operating.md) says which of them an installation needs.',
    'A duration is a whole number and a unit: `ms`, `s`, `m`, `h` or `d`. A file can hold the value of each setting, above all of a *secret*: the name of the setting with `_FILE` at its end is the path of the file. Set one of the two, not both.',
    ...Object.entries(SETTING_DESCRIPTIONS).flatMap(([name, text]) => [
      `## ${name}`,
      prose(text),
      defaultAndRule(name as SettingName),
    ]),
    'Tracing with OpenTelemetry has no setting of Posthorn: see [Monitoring](../operate/monitor.md).',
  )
}

function defaultAndRule(name: SettingName): string {
  const standard = SETTINGS[name] === '' ? 'unset' : code(SETTINGS[name])
  const secret = SECRET_SETTINGS.includes(name) ? ' A secret.' : ''
  return `Default: ${standard}. Value: ${prose(ruleOf(name))}.${secret}`
}

/** What the parser asks for when it gets a value that nobody would give. */
function ruleOf(name: SettingName): string {
  const rule = KNOWN_RULES[name] ?? remedyFor(name, '\u0001')
  // The parser of a duration names its bounds only if it is one.
  return rule.startsWith('a whole number and a unit') ? remedyFor(name, '999999999d') : rule
}

function remedyFor(name: SettingName, value: string): string {
  try {
    loadConfig({ [name]: value }, { requireEncryptionKeys: false })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.problems.find((text) => text.startsWith(`${name} is `)) ?? ''
    return /(?:^|: )give (.*?)\.?$/s.exec(problem)?.[1] ?? 'any text'
  }
  return 'any text'
}

/** Parsers that say what is wrong before they say what to give. */
const KNOWN_RULES: Partial<Record<SettingName, string>> = {
  POSTHORN_ENCRYPTION_KEYS: 'base64 keys of 32 bytes, comma-separated',
  POSTHORN_OIDC_ROLES: 'claim=value:key_…, comma-separated',
}
