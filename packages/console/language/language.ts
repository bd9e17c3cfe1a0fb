import { portalLink } from '../session/portal.ts'
import { chooseLanguage, type Language } from './languages.ts'

type Texts = Readonly<Record<string, string>>

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<{ default: Texts }>> = {
  de: () => import('../locales/de.json', { with: { type: 'json' } }),
  fr: () => import('../locales/fr.json', { with: { type: 'json' } }),
  es: () => import('../locales/es.json', { with: { type: 'json' } }),
  pt: () => import('../locales/pt.json', { with: { type: 'json' } }),
  ja: () => import('../locales/ja.json', { with: { type: 'json' } }),
}

/** The language of the session's link or, with `auto`, of the browser. The console is English. */
const chosen = portalLink
  ? chooseLanguage(portalLink.locale === null ? navigator.languages : [portalLink.locale])
  : { language: 'en' as const, locale: 'en' }

/** The language of the texts, and the locale of numbers. */
export const { language, locale } = chosen

/** The locale of dates. In the console: the browser's own. */
export const dateLocale = portalLink ? locale : undefined

let texts: Texts = {}

/** In the reader's language, by the English text. */
export const textOf = (english: string): string => texts[english] ?? english

/**
 * Loads the texts, and then marks the page as being in their language. Nothing is shown before, and the scripts of pages
 * are loaded after, so their constants may have texts. If the texts cannot be loaded, the page is English.
 */
export async function loadTexts(): Promise<void> {
  if (language === 'en') return
  try {
    texts = (await LOADERS[language]()).default
    document.documentElement.lang = language
  } catch {}
}
