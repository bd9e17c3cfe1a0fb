/** Replaces values that differ between runs: ids are numbered by kind, in order of appearance. */
export function withStableValues<Value>(value: Value): Value {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const text = JSON.stringify(value, (_key, item: unknown) => (item === undefined ? null : item))
    .replaceAll(/\b(org|key|wh|evt|msg|att)_[0-9a-z]{26}\b/g, (id, prefix: string) => {
      const count = counts.get(prefix) ?? 0
      if (!names.has(id)) {
        counts.set(prefix, count + 1)
        names.set(id, `${prefix}_${count + 1}`)
      }
      return names.get(id) as string
    })
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/("wh-timestamp","value":)"\d+"/g, '$1"SECONDS"')
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, 'whsec_KEY')
    .replaceAll(/phk_\w+/g, 'phk_HINT')
  return JSON.parse(text)
}
