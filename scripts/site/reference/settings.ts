import { ConfigError, loadConfig, SETTINGS, type SettingName } from '../../../src/config/config.ts'
import { SETTING_DESCRIPTIONS } from '../../../src/config/print-example.ts'
import { SECRET_SETTINGS } from '../../../src/config/setting-files.ts'
import { code, page, prose, table } from './markdown.ts'

export function settingsPage(): string {
  return page(
    '# Settings',
    'Settings are environment variables. Posthorn also reads them from a file `.env` in the working directory; the environment takes precedence. An invalid value, or an unknown name that begins with `POSTHORN_`, is an error at the start that names each; `POSTHORN_URL` and `POSTHORN_API_KEY` are for programs that call Posthorn. [Operating](../operate/operating.md) says which of them an installation needs.',
    'A duration is a whole number and a unit: `ms`, `s`, `m`, `h` or `d`. A file can hold the value of each setting, above all of a *secret*: the name of the setting with `_FILE` at its end is the path of the file. Set one of the two, not both.',
    ...Object.entries(SETTING_DESCRIPTIONS).map(([name, text]) =>
      setting(name as SettingName, text),
    ),
    'Tracing with OpenTelemetry has no setting of Posthorn: see [Monitoring](../operate/monitor.md).',
  )
}

function setting(name: SettingName, text: string): string {
  const rule = ruleOf(name)
  const isSecret = SECRET_SETTINGS.includes(name)
  return page(
    `## ${name}`,
    prose(text),
    table(
      ['default', 'value', ...(isSecret ? ['kind'] : [])],
      [
        [
          SETTINGS[name] === '' ? 'unset' : code(SETTINGS[name]),
          rule === null ? 'any text' : prose(rule),
          ...(isSecret ? ['secret'] : []),
        ],
      ],
    ),
  ).trimEnd()
}

/** What the parser asks for when it gets a value that nobody would give. Null: it takes any text. */
function ruleOf(name: SettingName): string | null {
  const known = KNOWN_RULES[name]
  if (known !== undefined) return known
  const rule = remedyFor(name, '\u0001')
  // The parser of a duration names its bounds only if it is one.
  return rule?.startsWith('a whole number and a unit') ? remedyFor(name, '999999999d') : rule
}

function remedyFor(name: SettingName, value: string): string | null {
  try {
    loadConfig({ [name]: value }, { requireEncryptionKeys: false })
    return null
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.problems.find((text) => text.startsWith(`${name} is `))
    const [, remedy] = /(?:^|: )give (.*?)\.?$/s.exec(problem ?? '') ?? []
    return remedy ?? null
  }
}

/** Parsers that say what is wrong before they say what to give. */
const KNOWN_RULES: Partial<Record<SettingName, string>> = {
  POSTHORN_ENCRYPTION_KEYS: 'base64 keys of 32 bytes, comma-separated',
  POSTHORN_OIDC_ROLES: 'claim=value:key_…, comma-separated',
}
