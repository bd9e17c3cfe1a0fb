import { Children, type ReactNode } from 'react'
import { language, textOf } from './language.ts'

/** A value in a text: `{name}`. */
const VALUE = /\{(\w+)\}/g

/** A text in the reader's language. The English text is its key: `t('{count} deliveries', { count: '1,024' })`. */
export function t(english: string, values?: Readonly<Record<string, string | number>>): string {
  const text = textOf(english)
  return values ? text.replace(VALUE, (_, name) => String(values[name])) : text
}

/** Marks a text that `t` or `rich` formats later. */
export const key = (english: string) => english

/** A label within a sentence, which only English writes small. */
export const inSentence = (label: string) => (language === 'en' ? label.toLowerCase() : label)

/** A text with elements in it: `rich('Expires {time}.', { time: <Time at={expiresAt} /> })`. */
export function rich(english: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  // Every second part is the name of a value.
  const parts = textOf(english).split(VALUE)
  return Children.toArray(parts.map((part, index) => (index % 2 === 0 ? part : values[part])))
}
