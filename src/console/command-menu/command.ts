/** One line of the command menu. */
export interface Command {
  /** Unique, and the same on the next visit. */
  readonly id: string
  readonly group: 'recent' | 'goTo' | 'webhooks' | 'pages' | 'actions' | 'organizations'
  readonly label: string
  /** Dimmed, beside the label. */
  readonly hint?: string | undefined
  /** The page, in the console of this organization. */
  readonly to?: string
  /** For what is not a page of this organization. */
  run?(): void
}

/** The commands whose label has every word of the text, ignoring case. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/)
  return commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}
