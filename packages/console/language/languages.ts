/** The languages of the portal. The sources have the English texts, and `locales` has the others. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja'] as const

/** The first of the tags whose language the portal has, with its locale for numbers and dates. Otherwise English. */
export function chooseLanguage(tags: readonly string[]) {
  for (const locale of tags) {
    const language = LANGUAGES.find((each) => each === locale.split('-')[0]?.toLowerCase())
    if (language && isLocale(locale)) return { language, locale }
  }
  return { language: 'en' as const, locale: 'en' }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
