/** `order.paid` → `OrderPaid`; `order-id` → `OrderId`. Empty if there is no letter or digit of ASCII. */
export function pascalCase(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** `OrderPaid` for `order.paid`, and `OrderPaid2` for a second one, such as `order_paid`. */
export function pascalCaseNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map((name) => {
    const joined = pascalCase(name)
    for (let n = 1; ; n += 1) {
      const unique = n === 1 ? joined : `${joined}${n}`
      if (used.has(unique.toLowerCase())) continue
      used.add(unique.toLowerCase())
      return unique
    }
  })
}
