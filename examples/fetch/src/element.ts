/** Creates an element. `children` are elements and texts; null is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], 'dataset' | 'style'>>,
  ...children: (Node | string | null)[]
): HTMLElementTagNameMap[Tag] {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children.filter((child) => child !== null))
  return created
}
