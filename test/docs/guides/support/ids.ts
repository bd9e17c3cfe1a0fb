const IDS =
  /\b(?:(org|wh|msg|evt|att|task|key)_[0-9a-hjkmnp-tv-z]{26}|(phs|phk|whsec)_[\w+/=-]{20,})/g

/** What a guide writes as `wh_…`: the id that the reader saw last. */
export function createSeenIds() {
  const last = new Map<string, string>()
  const seen = new Set<string>()
  const see = (output: string, onlyNew: boolean) => {
    for (const [id, kind, secret] of output.matchAll(IDS)) {
      if (!onlyNew || !seen.has(id)) last.set(kind ?? secret ?? '', id)
      seen.add(id)
    }
  }
  return {
    see: (output: string) => see(output, false),
    /** The same for a text that was read before, and has grown somewhere: only ids that are new count. */
    seeNew: (output: string) => see(output, true),
    /** The text with an id in place of each `wh_…`. */
    fill: (text: string) =>
      text.replaceAll(/\b(org|wh|msg|evt|att|task|key|phs|phk|whsec)_…/g, (_, kind: string) => {
        const id = last.get(kind)
        if (!id) throw new Error(`The reader has seen no ${kind}_… before:\n${text}`)
        return id
      }),
  }
}
