import { portalLink } from '../session/portal.ts'
import { chooseLanguage } from './languages.ts'

type Texts = Readonly<Record<string, string>>

/** The language of the session's link or, with `auto`, of the browser. The console is English. */
const tags = portalLink?.locale ? [portalLink.locale] : portalLink ? navigator.languages : []

/** The language of the texts, and the locale of numbers. */
export const { language, locale } = chooseLanguage(tags)

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
  // There is no file for English.
  const loaded = await import(`../locales/${language}.json`).catch(() => null)
  if (!loaded) return
  texts = loaded.default
  document.documentElement.lang = language
}
