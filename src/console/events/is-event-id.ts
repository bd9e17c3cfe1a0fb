export function isEventId(text: string | null): text is string {
  return text !== null && /^evt_[0-9a-z]{26}$/.test(text)
}
