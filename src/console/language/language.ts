import { portalLink } from '../session/portal.ts'
import { type Choice, chooseLanguage, type Language } from './languages.ts'

type Texts = Readonly<Record<string, string>>

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<{ default: Texts }>> = {
  de: () => import('../locales/de.json', { with: { type: 'json' } }),
  fr: () => import('../locales/fr.json', { with: { type: 'json' } }),
  es: () => import('../locales/es.json', { with: { type: 'json' } }),
  pt: () => import('../locales/pt.json', { with: { type: 'json' } }),
  ja: () => import('../locales/ja.json', { with: { type: 'json' } }),
}

const ENGLISH: Choice = { language: 'en', locale: 'en' }

/** The language of the session's link or, with `auto`, of the browser. The console is English. */
const wanted = portalLink
  ? chooseLanguage(portalLink.locale === null ? navigator.languages : [portalLink.locale])
  : ENGLISH

/** By the English text. The modules below wait for them, so that a constant may have a translated text. */
export const texts = await load(wanted.language)

export const { language, locale } = texts === null ? ENGLISH : wanted

/** The locale of dates. In the console: the browser's own. */
export const dateLocale = portalLink ? locale : undefined

/** Without its texts, the portal is English. */
async function load(of: Language): Promise<Texts | null> {
  if (of === 'en') return {}
  return LOADERS[of]().then(
    (module) => module.default,
    () => null,
  )
}
