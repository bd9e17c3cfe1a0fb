import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { besidePath, findProgram } from './installed-program.ts'

/** A decimal comma and German months; an `I` whose lower case is not `i`. */
export const GERMAN = 'de_DE.UTF-8'
export const TURKISH = 'tr_TR.UTF-8'

/** For glibc's variable LOCPATH. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/locales', import.meta.url))

/** The folder with both locales, compiled once; null on a system that cannot compile them. Needs no root. */
export async function compileLocales(): Promise<string | null> {
  const localedef = findProgram('localedef')
  const [sources] = besidePath('share/i18n/locales/tr_TR')
  if (localedef === undefined || sources === undefined) return null
  await mkdir(FOLDER, { recursive: true })
  for (const locale of [GERMAN, TURKISH]) {
    const compiled = path.join(FOLDER, locale)
    if (existsSync(compiled)) continue
    const [source = '', charset = ''] = locale.split('.')
    // Several processes may compile at the same time, and none may use what another has not finished.
    const draft = await mkdtemp(path.join(FOLDER, 'draft-'))
    const output = path.join(draft, locale)
    await promisify(execFile)(localedef, ['-i', source, '-f', charset, output])
    await chmod(output, 0o755)
    await rename(output, compiled).catch(() => {})
    await rm(draft, { recursive: true })
  }
  return FOLDER
}
