/** A block with no public hosts. */
export interface SpecialPurposeBlock {
  readonly block: string
  readonly name: string
  readonly reference: string
}

/**
 * The blocks without public hosts in IPv4, and in the public part of IPv6, which is 2000::/3: those that the IANA
 * special-purpose registries do not call globally reachable, and multicast. A block covers those inside it.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const SPECIAL_PURPOSE_BLOCKS: readonly SpecialPurposeBlock[] = [
  { block: '0.0.0.0/8', name: 'This network', reference: 'RFC 791' },
  { block: '10.0.0.0/8', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '100.64.0.0/10', name: 'Shared Address Space', reference: 'RFC 6598' },
  { block: '127.0.0.0/8', name: 'Loopback', reference: 'RFC 1122' },
  { block: '169.254.0.0/16', name: 'Link Local', reference: 'RFC 3927' },
  { block: '172.16.0.0/12', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '192.0.0.0/24', name: 'IETF Protocol Assignments', reference: 'RFC 6890' },
  { block: '192.0.2.0/24', name: 'Documentation (TEST-NET-1)', reference: 'RFC 5737' },
  { block: '192.88.99.0/24', name: 'Deprecated (6to4 Relay Anycast)', reference: 'RFC 7526' },
  { block: '192.168.0.0/16', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '198.18.0.0/15', name: 'Benchmarking', reference: 'RFC 2544' },
  { block: '198.51.100.0/24', name: 'Documentation (TEST-NET-2)', reference: 'RFC 5737' },
  { block: '203.0.113.0/24', name: 'Documentation (TEST-NET-3)', reference: 'RFC 5737' },
  { block: '224.0.0.0/4', name: 'Multicast', reference: 'RFC 5771' },
  { block: '240.0.0.0/4', name: 'Reserved', reference: 'RFC 1112' },
  { block: '2001::/23', name: 'IETF Protocol Assignments', reference: 'RFC 2928' },
  { block: '2001:db8::/32', name: 'Documentation', reference: 'RFC 3849' },
  { block: '2002::/16', name: '6to4', reference: 'RFC 3056' },
  { block: '3fff::/20', name: 'Documentation', reference: 'RFC 9637' },
]
