/** An IPv4 address, or the /64 network of an IPv6 address, which one client has at least. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const groups = head.split(':')
  if (tail === undefined) return groups.slice(0, 4).join(':')
  return [...groups.filter(Boolean), '0', '0', '0', '0'].slice(0, 4).join(':')
}
