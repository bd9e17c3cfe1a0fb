/** The languages of the portal. The sources have the English texts, and `locales` has the others. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

/** The reader's language, and the locale for numbers and dates: `pt` and `pt-BR`. */
export interface Choice {
  readonly language: Language
  readonly locale: string
}

/** The first of the tags whose language the portal has. Without one: English. */
export function chooseLanguage(tags: readonly string[]): Choice {
  for (const locale of tags) {
    const language = LANGUAGES.find((each) => each === locale.split('-')[0]?.toLowerCase())
    if (language && isLocale(locale)) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
