import { IntlMessageFormat } from 'intl-messageformat'
import { Children, type ReactNode } from 'react'
import { language, locale, textOf } from './language.ts'

type Values = Readonly<Record<string, string | number>>

/**
 * A text in the reader's language. The English text is its key. With values, it is an ICU message:
 * `t('{count, plural, one {# delivery} other {# deliveries}}', { count })`.
 */
export function t(english: string, values?: Values): string {
  const text = textOf(english)
  return values ? String(messageOf(text, true).format(values)) : text
}

/** Marks a text that `t` or `rich` formats later. */
export const key = (english: string) => english

/** A label within a sentence, which only English writes small. */
export const inSentence = (label: string) => (language === 'en' ? label.toLowerCase() : label)

type Part = ReactNode | ((children: ReactNode) => ReactNode)

/** A text with elements in it: `rich('Read the <a>guide</a>.', { a: (text) => <a href="/">{text}</a> })`. */
export function rich(english: string, parts: Readonly<Record<string, Part>>): ReactNode {
  const text = textOf(english)
  return Children.toArray(messageOf(text, false).format<ReactNode>(parts as never))
}

const messages = new Map<string, IntlMessageFormat>()

function messageOf(text: string, ignoreTag: boolean): IntlMessageFormat {
  const key = `${ignoreTag} ${text}`
  const known = messages.get(key)
  if (known) return known
  const message = new IntlMessageFormat(text, locale, undefined, { ignoreTag })
  messages.set(key, message)
  return message
}
