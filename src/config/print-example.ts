import { writeFileSync } from 'node:fs'
import { SETTINGS, type SettingName } from './config.ts'
import { SETTING_DESCRIPTIONS } from './setting-descriptions.ts'

const MAX_WIDTH = 120

const HEAD = `Every setting of Posthorn, each with its default. Copy this file to .env and change what you need. A duration is a whole number and a unit: ms, s, m, h or d. Posthorn does not start with an invalid value, or with a POSTHORN_ name that is not listed here; the error names each.
A file can hold the value of each setting, such as a secret of Docker, Kubernetes or systemd: <setting>_FILE is the path of the file. A line break at the end of the file does not count. Set one of the two, not both.`

const END =
  'Tracing with OpenTelemetry has no setting of Posthorn: set OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables here or in the environment. See docs/operate/tracing.md.'

/** The text of `.env.example`. */
export function printExample(): string {
  const described = Object.entries(SETTING_DESCRIPTIONS).map(([name, text]) => {
    return `${comment(text)}\n#${name}=${SETTINGS[name as SettingName]}`
  })
  return `${[comment(HEAD), ...described, comment(END)].join('\n\n')}\n`
}

/** Paragraphs as comments. */
function comment(text: string): string {
  return text
    .split('\n')
    .flatMap((paragraph) => wrapped(paragraph.split(' ')))
    .map((line) => `# ${line}`)
    .join('\n')
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && `# ${last} ${word}`.length <= MAX_WIDTH) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}

if (import.meta.main) {
  writeFileSync(new URL('../../.env.example', import.meta.url), printExample())
}
