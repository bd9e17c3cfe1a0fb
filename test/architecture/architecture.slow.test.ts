import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { filesOf } from '../support/files.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { checkArchitecture } from './architecture.ts'

const ROOT = path.join(import.meta.dirname, '../..')

const checkerInstalled = await requirePackages('test/architecture')

test('imports point one way, and the checker sees every file', checkerInstalled, async () => {
  expect(await checkArchitecture()).toEqual({ violations: [], unseen: [] })
})

/** Their results depend on the time zone or the locale of the process. */
const LOCAL = [
  /\.[gs]et(Hours|Minutes|Date|Day|Month|FullYear|TimezoneOffset)\(/,
  /\.to(Date|Time)String\(/,
  /\.toLocale\w*\(\)/,
  /\.localeCompare\([^,()]*\)/,
  /\bIntl\.\w+\((undefined|\))/,
  // A Date of text: text without a zone names a local time.
  /new Date\((`|'|text\b|value\b|options\.)/,
]

/** These speak to the person at this machine, or have checked that the text has a zone. */
const MAY_BE_LOCAL = ['src/cli/listen/format-delivery.ts', 'src/lib/rfc3339-time.ts']

test('no server code depends on the time zone or the locale of the process', async () => {
  const files = (await filesOf(ROOT, ['src'])).filter(
    (file) => /\.tsx?$/.test(file) && !/^src\/console\/|generated/.test(file),
  )
  expect(files.length).toBeGreaterThan(300)
  const found: string[] = []
  for (const file of files) {
    if (MAY_BE_LOCAL.includes(file)) continue
    const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n')
    found.push(
      ...lines.filter((line) => LOCAL.some((form) => form.test(line))).map((l) => `${file}: ${l}`),
    )
  }
  expect(found).toEqual([])
})

/** Parameters that have a default or may be missing, so that a caller can forget them. */
const FORGETTABLE = [
  /\?: (readonly )?(Actor|Caller)\b/,
  /^(?!export const ).*: (Actor|Caller)( \| (null|undefined))* = /,
  /\b(actor|organizationId|grantedBy|onlyWebhook)\?:/,
  /(?<!(const|let) |[.])\b(actor|organizationId|grantedBy|onlyWebhook)(: string( \| null)?)? = /,
  /(\?\?|\|\|) *(SYSTEM|COMMAND_LINE)\b/,
]

/** The files that may act as Posthorn itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  SYSTEM: ['src/health/alerts/mail-link.ts', 'src/run/embedded/provision.ts'],
}

test('a forgotten argument neither changes the actor in the audit log nor reaches another organization', async () => {
  const files = (await filesOf(ROOT, ['src']))
    .filter((file) => file.endsWith('.ts') && !/^src\/console\//.test(file))
    .toSorted()
  expect(files.length).toBeGreaterThan(300)
  const forgettable: string[] = []
  const importing: Record<string, string[]> = { SYSTEM: [] }
  for (const file of files) {
    const text = await readFile(path.join(ROOT, file), 'utf8')
    const lines = text.split('\n')
    forgettable.push(
      ...lines
        .filter((line) => FORGETTABLE.some((form) => form.test(line)))
        .map((line) => `${file}: ${line}`),
    )
    for (const [, names = ''] of text.matchAll(/^import \{([^}]*)\} from '.*\/access\//gm)) {
      for (const name of names.split(',')) importing[name.trim()]?.push(file)
    }
  }
  expect(forgettable).toEqual([])
  expect(importing).toEqual(MAY_IMPORT)
})

test('the examples import no file of Posthorn, so that anyone can copy them', async () => {
  const files = (await filesOf(ROOT, ['examples'])).filter((file) => /\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(8)
  const outside: string[] = []
  for (const file of files) {
    const text = await readFile(path.join(ROOT, file), 'utf8')
    for (const [, imported = ''] of text.matchAll(/^(?:import|export|\}) .*?'(.+)'$/gm)) {
      const target = imported.startsWith('.') ? path.join(path.dirname(file), imported) : ''
      const isOwn = target === '' || target.startsWith('examples/')
      if (!isOwn || /^(posthorn|@posthorn)(\/|$)/.test(imported))
        outside.push(`${file}: ${imported}`)
    }
  }
  expect(outside).toEqual([])
})
