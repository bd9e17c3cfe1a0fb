/** What a link or a picture of Markdown leads to instead; null: only its text stays. */
export type Redirect = (target: string, kind: 'link' | 'picture') => string | null

/** Replaces the targets of links and pictures, except in blocks of code. Those with a scheme and anchors of the page stay. */
export function withLinks(markdown: string, redirect: Redirect): string {
  const replaceIn = (text: string) =>
    // Pictures first: a link may have one for its text.
    text.replaceAll(PICTURE, replacement('picture')).replaceAll(LINK, replacement('link'))
  const replacement =
    (kind: 'link' | 'picture') => (all: string, mark: string, label: string, target: string) => {
      if (/^(#|\/|[a-z]+:)/.test(target)) return all
      const to = redirect(target, kind)
      return to === null ? label : `${mark}[${label}](${to})`
    }
  return markdown
    .split(BLOCKS_OF_CODE)
    .map((part, at) => (at % 2 === 0 ? replaceIn(part) : part))
    .join('')
}

const BLOCKS_OF_CODE = /(^ *```.*?^ *```)/gms
const PICTURE = /(!)\[([^\][]*)\]\(([^)\s]+)\)/g
const LINK = /(?<!!)()\[((?:`[^`\n]*`|[^\][]|!\[[^\][]*\](?:\([^)\s]*\))?)*)\]\(([^)\s]+)\)/g
