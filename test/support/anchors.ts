/** The anchors that GitHub creates for the headings of a page. The second of two equal headings ends in `-1`. */
export function anchorsIn(text: string): string[] {
  const used = new Map<string, number>()
  const headings = text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) => {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}
